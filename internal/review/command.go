package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/baileyhq/bailey/tool"
)

// writeCommand shows a command, and what it was read as. What makes the reading
// doubtful comes first.
func (r request) writeCommand(p *page) {
	c := r.call
	if c.Command == "" && len(c.Argv) == 0 {
		return
	}
	p.section("Command")
	if len(c.Argv) > 0 {
		p.put(margin, folded, bold, tool.QuoteWords(c.Argv))
	} else {
		p.block(c.Command, func(string) string { return bold })
	}
	for i, why := range c.Dynamic {
		p.styled(name(i, "beware"), red, why)
	}
	p.field("in", c.Cwd)
	p.field("network", orNone(c.Network, "as configured"))
	if c.Background {
		p.prose("note", yellow, "it runs on in the background when the call has answered")
	}
	r.writeReading(p)
	r.writeInput(p)
}

func (r request) writeReading(p *page) {
	c := r.call
	if len(c.Programs) > 0 || len(c.Dynamic) > 0 {
		p.section("It would run")
	}
	for _, program := range c.Programs {
		writeProgram(p, program)
	}
	if len(c.Dynamic) > 0 {
		p.put(margin, folded, red, "and what can't be told before it runs")
	}
	if len(c.Redirects) > 0 {
		p.section("Its shell would open")
		for _, redirect := range c.Redirects {
			p.put(margin, folded, plain, redirect.Path+": "+access(redirect))
		}
	}
	if len(c.Scripts) > 0 {
		p.section("Scripts that the approval is bound to")
		for _, s := range c.Scripts {
			p.put(margin, folded, plain, s.Path+": "+describe(s))
		}
	}
}

func writeProgram(p *page, program tool.ProgramView) {
	name := "(known only when it runs)"
	if program.Name != "" {
		name = tool.QuoteWords([]string{program.Name})
	}
	p.put(margin, folded, bold, strings.TrimRight(name+" "+tool.QuoteWords(program.Args), " "))
	if program.Builtin {
		p.put(margin+"    ", folded+"    ", plain, "is carried out by the shell itself")
	}
	detail := func(style, format string, args ...any) {
		p.put(margin+"    ", folded+"    ", style, fmt.Sprintf(format, args...))
	}
	if program.Resolved != "" {
		detail(plain, "is %s", program.Resolved)
	}
	if len(program.Via) > 0 {
		detail(plain, "by way of %s", strings.Join(program.Via, " > "))
	}
	if program.Note != "" {
		detail(yellow, "%s", program.Note)
	}
}

func access(r tool.RedirectView) string {
	switch {
	case r.Read && r.Write:
		return "to read and write"
	case r.Write:
		return "to write"
	default:
		return "to read"
	}
}

// writeInput shows what the command gets besides its words.
func (r request) writeInput(p *page) {
	c := r.call
	if len(c.Env) > 0 {
		p.section("Environment that the call sets")
		for _, key := range slices.Sorted(maps.Keys(c.Env)) {
			p.put(margin, folded, plain, key+"="+c.Env[key])
		}
	}
	if c.Stdin != nil {
		p.section("Standard input: %s, sha256 %s", count(c.Stdin.Size, "byte"), c.Stdin.SHA256)
		p.block(c.Stdin.Text, unstyled)
	}
}

func orNone(s, none string) string {
	if s == "" {
		return none
	}
	return s
}
