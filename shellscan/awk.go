package shellscan

import "strings"

// awk reads a program in the awk language just far enough to see that it runs
// nothing and writes no file.
func (s *scanner) awk(at int, c call) {
	p := &s.reading.Programs[at]
	name := p.Name
	args := c.words[1:]
	for len(args) > 0 && args[0].Kind == Literal && strings.HasPrefix(args[0].Text, "-") && len(args[0].Text) > 1 {
		word := args[0].Text
		args = args[1:]
		if word == "--" {
			break
		}
		switch {
		case (word == "-F" || word == "-v") && len(args) > 0 && args[0].Kind <= One:
			args = args[1:]
		case strings.HasPrefix(word, "-F"), strings.HasPrefix(word, "-v"):
		case word == "-f" && len(args) > 0:
			s.script(at, args[0])
			s.dynamic(name + " executes a file")
			return
		default:
			s.dynamic(name + " " + quote(word) + " is not known")
		}
	}
	if len(args) == 0 {
		return
	}
	p.Source = Inline
	if args[0].Kind != Literal {
		s.dynamic(name + " executes " + quote(args[0].Text) + ", which is decided at the run")
		return
	}
	if why := awkRuns(args[0].Text); why != "" {
		s.dynamic("the program of " + name + " uses " + why)
		s.awkTexts(name, args[0].Text)
	}
}

// awkRuns returns what in an awk program may run others or write a file. It
// looks at strings and comments too, and so finds too much rather than too little.
func awkRuns(program string) string {
	plain := strings.ReplaceAll(program, "||", "")
	for _, word := range []string{"system", "getline", "|", "@", "fflush", "close"} {
		if strings.Contains(plain, word) {
			return word
		}
	}
	if strings.Contains(plain, "print") && strings.Contains(plain, ">") {
		return "print >"
	}
	return ""
}

// awkTexts lists what the strings of an awk program would run.
func (s *scanner) awkTexts(via, program string) {
	for i, part := range strings.Split(program, `"`) {
		if i%2 == 1 {
			s.shellText(via, part, POSIX)
		}
	}
}
