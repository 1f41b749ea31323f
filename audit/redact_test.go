package audit

import (
	"slices"
	"strings"
	"testing"
)

// Secrets are put together at run time, so that no scanner takes this file for a leak.
func TestRedact(t *testing.T) {
	letters := "Ab3dEf6hIj9lMn2pQr5tUv8xYz1a" + "Bc4eFg7iJk0m"
	pem := "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH " + "PRIVATE KEY-----"
	tests := []struct{ name, text, want string }{
		{"AWS key", "aws --key " + "AKIA" + "ABCDEFGHIJKLMNOP x", "aws --key [redacted:aws-key] x"},
		{"AWS secret", "AWS_SECRET_ACCESS_KEY=" + letters + " aws s3 ls", "AWS_SECRET_ACCESS_KEY=[redacted:secret] aws s3 ls"},
		{"GitHub", "echo " + "ghp_" + letters + ".", "echo [redacted:github-token]."},
		{"GitHub, fine-grained", "github_pat_" + letters, "[redacted:github-token]"},
		{"GitLab", "glpat-" + letters[:20], "[redacted:gitlab-token]"},
		{"API key", "x=" + "sk-" + letters, "x=[redacted:api-key]"},
		{"API key with parts", "sk-ant-api03-" + letters, "[redacted:api-key]"},
		{"Slack", "xoxb-" + "123456789012-abcdef", "[redacted:slack-token]"},
		{"JWT", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "c2lnbmF0dXJl", "[redacted:jwt]"},
		{"private key", "cat <<X\n" + pem + "\nX", "cat <<X\n[redacted:private-key]\nX"},
		{"private key, cut", pem[:60], "[redacted:private-key]"},
		{"header", `curl -H "Authorization: Bearer ` + letters + `" https://x.org`, `curl -H "Authorization: Bearer [redacted:authorization]" https://x.org`},
		{"header, basic", "authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted:authorization]"},
		{"header, bare", `{"Authorization": "hunter2"}`, `{"Authorization": "[redacted:authorization]"}`},
		{"assignment", "PASSWORD=hunter2 ./run", "PASSWORD=[redacted:secret] ./run"},
		{"assignment, quoted", `DB_PASSWORD="two words" ./run`, `DB_PASSWORD=[redacted:secret] ./run`},
		{"assignment, pieces", `token=ab"c d"'e f' x`, `token=[redacted:secret] x`},
		{"flag", "mysql --password=hunter2 db", "mysql --password=[redacted:secret] db"},
		{"flag and word", "tool --api-key hunter2 go", "tool --api-key [redacted:secret] go"},
		{"query", "https://x.org/?token=abc&page=2", "https://x.org/?token=[redacted:secret]&page=2"},
		{"JSON", `{"client_secret": "abc", "id": 1}`, `{"client_secret": [redacted:secret], "id": 1}`},
		{"URL", "git clone https://me:p@ss@example.org/x.git", "git clone https://me:[redacted:url-password]@example.org/x.git"},
		{"two", "password=a1 token=b2", "password=[redacted:secret] token=[redacted:secret]"},

		{"harmless: AWS word", "AKIA is a prefix; AKIAlower", "AKIA is a prefix; AKIAlower"},
		{"harmless: short", "ghp_short sk-learn xox", "ghp_short sk-learn xox"},
		{"harmless: words with hyphens", "pip install sk-learn-contrib-extra-tools", "pip install sk-learn-contrib-extra-tools"},
		{"harmless: task", "run task-1234567890123456789012", "run task-1234567890123456789012"},
		{"harmless: public key", "-----BEGIN PUBLIC KEY-----\nabc", "-----BEGIN PUBLIC KEY-----\nabc"},
		{"harmless: variable", `PASSWORD=$DB_PASS TOKEN="$(pass show x)" ./run`, `PASSWORD=$DB_PASS TOKEN="$(pass show x)" ./run`},
		{"harmless: empty", `PASSWORD= TOKEN="" ./run`, `PASSWORD= TOKEN="" ./run`},
		{"harmless: file of a secret", "PASSWORD_FILE=/run/p --token-file=t", "PASSWORD_FILE=/run/p --token-file=t"},
		{"harmless: other names", "max_tokens=100 monkey=1 passwordless=yes keyboard=us", "max_tokens=100 monkey=1 passwordless=yes keyboard=us"},
		{"harmless: flag before flag", "tool --token --verbose", "tool --token --verbose"},
		{"harmless: user in URL", "git clone ssh://git@example.org:22/x", "git clone ssh://git@example.org:22/x"},
		{"harmless: port and at", "http://localhost:8080/@scope/pkg", "http://localhost:8080/@scope/pkg"},
		{"harmless: prose", "the authorization of a token holder", "the authorization of a token holder"},
		{"harmless: code", "grep -rn 'password' src/ && go test ./token/...", "grep -rn 'password' src/ && go test ./token/..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Redact(tt.text)
			if got != tt.want {
				t.Errorf("Redact(%q)\n = %q\nwant %q", tt.text, got, tt.want)
			}
			if again := Redact(got); again != got {
				t.Errorf("a second pass changes it to %q", again)
			}
		})
	}
}

func TestRedactArgs(t *testing.T) {
	args := []string{"tool", "--password", "hunter2", "-H", "Authorization: Bearer abc", "--token", "$TOKEN", "--key", "name"}
	before := slices.Clone(args)
	got := redactArgs(args)
	want := []string{"tool", "--password", "[redacted:secret]", "-H", "Authorization: Bearer [redacted:authorization]", "--token", "$TOKEN", "--key", "name"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if !slices.Equal(args, before) {
		t.Errorf("the caller's arguments were changed: %q", args)
	}
}

// Secrets are taken out of what was run and said, never out of paths.
func TestRedactedFields(t *testing.T) {
	path := newPath(t)
	log := open(t, path)
	const s = "password=hunter2"
	rec := &Record{Tool: "shell", Path: s, Resolved: s, Destination: s, Paths: []string{s}, Detail: s, Command: s, Argv: []string{s}}
	add(t, log, rec)
	if n := strings.Count(read(t, path), "hunter2"); n != 4 {
		t.Errorf("the secret stands %d times in the line, want 4 (the paths):\n%s", n, read(t, path))
	}
	if rec.Command != s || rec.Argv[0] != s {
		t.Error("the caller's record was changed")
	}
	wantVerified(t, path, 1)
}

func BenchmarkRedact(b *testing.B) {
	for name, text := range map[string]string{
		"plain":  `go test -race ./... 2>&1 | tail -n 40 && git status --short`,
		"secret": `curl -H "Authorization: Bearer abcdef0123456789" https://example.org/api`,
		"64KiB":  strings.Repeat("the quick brown fox jumps over the lazy dog\n", 1490),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Redact(text)
			}
		})
	}
}
