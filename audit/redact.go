package audit

import (
	"regexp"
	"slices"
	"strings"
)

// A shape is one well-known form of a secret.
type shape struct {
	// hints are texts one of which every match contains, in lower case. They are
	// looked for first, since most texts hold no secret and a regular expression
	// costs microseconds.
	hints []string
	match *regexp.Regexp // its one group is the secret
	name  string
	// spare tells of a match that is harmless after all.
	spare func(secret string) bool
}

// secretName is what the name of a variable, flag or parameter ends in whose
// value is a secret. What follows must end the name: PASSWORD_FILE is none.
const secretName = `(?:password|passwd|passphrase|pwd|secret|secret[_-]?key|api[_-]?key|access[_-]?key|private[_-]?key|token|credentials?)`

// shellWord is a word as a shell would read it, quotes and all.
const shellWord = `(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\&;|<>()])+`

var nameHints = []string{"passw", "passphrase", "pwd", "secret", "key", "token", "credential"}

var shapes = []shape{
	{
		name:  "private-key",
		hints: []string{"private key-----"},
		match: regexp.MustCompile(`(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z))`),
	},
	{
		name:  "aws-key",
		hints: []string{"akia", "asia", "abia", "acca"},
		match: regexp.MustCompile(`(\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b)`),
	},
	{
		name:  "github-token",
		hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		match: regexp.MustCompile(`(\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}))`),
	},
	{
		name:  "gitlab-token",
		hints: []string{"glpat-"},
		match: regexp.MustCompile(`(\bglpat-[A-Za-z0-9_-]{20,})`),
	},
	{
		name:  "api-key",
		hints: []string{"sk-", "sk_live_", "rk_live_", "aiza", "npm_"},
		match: regexp.MustCompile(`(\b(?:sk-[A-Za-z0-9_-]{20,}|[rs]k_live_[A-Za-z0-9]{16,}|AIza[A-Za-z0-9_-]{35}|npm_[A-Za-z0-9]{36}))`),
		spare: func(secret string) bool { return !strings.ContainsAny(secret, "0123456789") }, // words joined by hyphens
	},
	{
		name:  "slack-token",
		hints: []string{"xox"},
		match: regexp.MustCompile(`(\bxox[a-z]-[A-Za-z0-9-]{10,})`),
	},
	{
		name:  "jwt",
		hints: []string{"eyj"},
		match: regexp.MustCompile(`(\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)`),
	},
	{
		name:  "authorization",
		hints: []string{"authorization"},
		match: regexp.MustCompile(`(?i)(?:\bauthorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest)\s+)?)([^\s"',;]+)`),
		spare: reference,
	},
	{
		name:  "url-password",
		hints: []string{"://"},
		match: regexp.MustCompile(`(?:\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@?#"']*:)([^\s/?#"']+)@`),
		spare: reference,
	},
	{
		name:  "secret",
		hints: nameHints,
		match: regexp.MustCompile(`(?i)(?:\b|[_-])` + secretName + `=(` + shellWord + `)`),
		spare: reference,
	},
	{
		name:  "secret",
		hints: nameHints,
		match: regexp.MustCompile(`(?i)(?:["'](?:[a-z0-9_.-]*[_.-])?` + secretName + `["']\s*:\s*)("(?:[^"\\]|\\.)*"|'[^']*')`),
		spare: reference,
	},
	{
		name:  "secret",
		hints: nameHints,
		match: regexp.MustCompile(`(?i)(?:(?:^|\s)--?(?:[a-z0-9-]+-)?` + secretName + `\s+)(` + shellWord + `)`),
		spare: func(secret string) bool { return secret[0] == '-' || reference(secret) },
	},
}

// secretFlag matches an argument whose value is the next argument.
var secretFlag = regexp.MustCompile(`(?i)^--?(?:[a-z0-9-]+-)?` + secretName + `$`)

// reference tells whether a value only names where the secret is: $VAR, "$(cmd)".
func reference(secret string) bool {
	bare := strings.TrimLeft(secret, `"`)
	return strings.HasPrefix(bare, "$") || strings.Trim(bare, `"'`) == "" || strings.HasPrefix(bare, "[redacted:")
}

// Redact returns text with the secrets of well-known shapes replaced by
// "[redacted:KIND]": cloud, forge and API keys, JSON web tokens, private key
// blocks, authorization headers, passwords in URLs, and values that are given to
// a name which ends in password, token, secret or the like. It is a help
// against carelessness, no guarantee.
func Redact(text string) string {
	if len(text) < 8 {
		return text
	}
	lower := strings.ToLower(text)
	for i := range shapes {
		s := &shapes[i]
		if slices.ContainsFunc(s.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			text = s.redact(text)
		}
	}
	return text
}

func (s *shape) redact(text string) string {
	var out strings.Builder
	done := 0
	for _, m := range s.match.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		if s.spare != nil && s.spare(text[from:to]) {
			continue
		}
		out.WriteString(text[done:from])
		out.WriteString("[redacted:" + s.name + "]")
		done = to
	}
	out.WriteString(text[done:])
	return out.String()
}

// redactArgs redacts each argument, and the one that follows a flag such as
// --password. It copies args if it changes any.
func redactArgs(args []string) []string {
	var out []string
	for i, arg := range args {
		clean := Redact(arg)
		if i > 0 && !reference(arg) && secretFlag.MatchString(args[i-1]) {
			clean = "[redacted:secret]"
		}
		if clean != arg && out == nil {
			out = slices.Clone(args)
		}
		if out != nil {
			out[i] = clean
		}
	}
	if out == nil {
		return args
	}
	return out
}
