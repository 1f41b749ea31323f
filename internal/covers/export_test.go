package covers

// Listed counts the directories that the scanner has listed so far.
func (s *Scanner) Listed() int64 { return s.listed.Load() }

// SetLimit makes a test of the limit quick.
func (s *Scanner) SetLimit(n int) { s.limit = n }
