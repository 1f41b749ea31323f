package mcpserver

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkRead is a file_read over pipes, client included.
func BenchmarkRead(b *testing.B) {
	f := newFixture(b, "code_review")
	for name, size := range map[string]int{"4KiB": 4 << 10, "1MiB": 1 << 20} {
		f.write(name, strings.Repeat("\tif value[17] != \"3f2a90bc\" {\n", size)[:size])
		b.Run(name, func(b *testing.B) {
			s := f.serve().greet()
			defer s.end()
			call := callLine(1, "file_read", `{"path":"`+name+`"}`) + "\n"
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = io.WriteString(s.in, call)
				for {
					if _, err := s.out.ReadSlice('\n'); err == nil {
						break
					}
				}
			}
		})
	}
}
