package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file that only its owner can write.
func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	flag := write(t, at("flag.toml"), "")
	named := write(t, at("named.toml"), "")
	xdg := write(t, at("xdg/bailey/config.toml"), "")
	home := write(t, at("home/.config/bailey/config.toml"), "")
	system := write(t, at("etc/config.toml"), "")
	write(t, at("file"), "")
	dangling := at("dangling/bailey/config.toml")
	write(t, at("dangling/bailey/x"), "")
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Fatal(err)
	}

	for _, tt := range []struct {
		name, flag string
		env        map[string]string
		system     string
		want       string
		explicit   bool
	}{
		{"the flag beats all", flag, map[string]string{"BAILEY_CONFIG": named, "XDG_CONFIG_HOME": at("xdg")}, system, flag, true},
		{"the variable comes next", "", map[string]string{"BAILEY_CONFIG": named, "XDG_CONFIG_HOME": at("xdg")}, system, named, true},
		{"then the XDG directory", "", map[string]string{"XDG_CONFIG_HOME": at("xdg"), "HOME": at("home")}, system, xdg, false},
		{"its default", "", map[string]string{"HOME": at("home")}, system, home, false},
		{"a relative XDG directory is ignored", "", map[string]string{"XDG_CONFIG_HOME": "xdg", "HOME": at("home")}, system, home, false},
		{"then the host's", "", map[string]string{"HOME": at("empty")}, system, system, false},
		{"also below a file", "", map[string]string{"HOME": at("file")}, system, system, false},
		{"without a home", "", nil, system, system, false},
		{"none", "", map[string]string{"HOME": at("empty")}, at("none"), "", false},
		{"a broken one is not passed over", "", map[string]string{"XDG_CONFIG_HOME": at("dangling")}, system, dangling, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, explicit, err := locate(tt.flag, func(key string) string { return tt.env[key] }, tt.system)
			if path != tt.want || explicit != tt.explicit || err != nil {
				t.Errorf("got %q, %v, %v; want %q, %v", path, explicit, err, tt.want, tt.explicit)
			}
		})
	}
}

func TestExplicitFileMustExist(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.toml")
	for name, env := range map[string]map[string]string{gone: nil, "": {"BAILEY_CONFIG": gone}} {
		path, explicit, err := Locate(name, func(key string) string { return env[key] })
		if path != gone || !explicit || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %q, %v, %v", path, explicit, err)
		}
	}
	if _, err := Load(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load: %v", err)
	}
	if c, err := Load(""); err != nil || !c.Equal(Default()) || c.File() != "" {
		t.Errorf("no file: %v, %v", c, err)
	}
}

func TestLoad(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "config.toml"), full)
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	sameConfig(t, wantFull(), c)
	if c.File() != path {
		t.Errorf("File is %q", c.File())
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(link); err != nil || !c.Equal(wantFull()) {
		t.Errorf("through a link: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	wide := strings.Repeat("#", MaxFileSize-1) + "\n"
	if _, err := Load(write(t, filepath.Join(dir, "just"), wide)); err != nil {
		t.Errorf("a file of the size limit: %v", err)
	}
	for name, path := range map[string]string{
		"larger than 1 MiB":  write(t, filepath.Join(dir, "large"), wide+"#"),
		"not a regular file": dir,
		"not UTF-8":          write(t, filepath.Join(dir, "latin"), "# \xe4\n"),
		"unknown key `x`":    write(t, filepath.Join(dir, "x"), "x = 1\n"),
	} {
		c, err := Load(path)
		var one *Error
		if c != nil || err == nil || !strings.Contains(err.Error(), name) || !errors.As(err, &one) || one.File != path {
			t.Errorf("%s: got %v, %v", name, c, err)
		}
	}
}
