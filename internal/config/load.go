package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MaxFileSize is the size of the largest configuration file that is read.
const MaxFileSize = 1 << 20

// systemFile is what holds for all users of a host.
const systemFile = "/etc/bailey/config.toml"

// Locate finds the configuration file: the value of --config, else
// $BAILEY_CONFIG, else $XDG_CONFIG_HOME/bailey/config.toml (~/.config where
// that is unset or relative), else /etc/bailey/config.toml. explicit is true
// for the first two: such a file must exist, and an error that matches
// [fs.ErrNotExist] says that it does not. path is "" where there is none at the
// default places; [Load] then gives the defaults.
//
// A default place counts as taken as soon as something has the name, readable
// or not: a broken file of the user's must not bring the host's into force.
func Locate(flag string, env func(string) string) (path string, explicit bool, err error) {
	return locate(flag, env, systemFile)
}

func locate(flag string, env func(string) string, system string) (path string, explicit bool, err error) {
	for _, given := range []struct{ path, from string }{{flag, "--config"}, {env("BAILEY_CONFIG"), "BAILEY_CONFIG"}} {
		if given.path == "" {
			continue
		}
		if _, err := os.Stat(given.path); err != nil {
			return given.path, true, unreadable(given.path, err, "named by "+given.from)
		}
		return given.path, true, nil
	}
	for _, place := range []string{UserFile(env), system} {
		if place == "" {
			continue
		}
		if _, err := os.Lstat(place); err == nil || !absent(err) {
			return place, false, nil
		}
	}
	return "", false, nil
}

// UserFile is the user's default place, "" where the environment names none.
func UserFile(env func(string) string) string {
	dir := env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the XDG specification: a relative one is ignored
		home := env("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "bailey", "config.toml")
}

// absent reports whether err says for sure that there is nothing, also where a
// parent is not a directory.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isNotDirectory(err)
}

// Load reads a configuration file; "" gives [Default]. An error is of type
// [Errors].
//
// The file must be a regular file (links to one are followed) of at most 1 MiB.
// One that every user of the host can write is refused: whoever writes it
// decides what the agent may do. A group that can write it is the operator's own
// arrangement. One with a second hard link that its owner could write is
// refused as well: the other name may lie in a workspace, where no check of
// directories sees it.
func Load(path string) (*Config, error) {
	if path == "" {
		return Default(), nil
	}
	data, err := readFile(path)
	if err != nil {
		return nil, Errors{err}
	}
	return Parse(path, data)
}

func readFile(path string) ([]byte, *Error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0) // a FIFO must not make Bailey wait
	if err != nil {
		return nil, unreadable(path, err, "")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(path, err, "")
	}
	if message, hint := refuseFile(info); message != "" {
		return nil, &Error{File: path, Message: message, Hint: hint}
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	switch {
	case err != nil:
		return nil, unreadable(path, err, "")
	case len(data) > MaxFileSize:
		return nil, &Error{File: path, Message: "the configuration file is larger than 1 MiB"}
	}
	return data, nil
}

// refuseFile says why the file may not be used as a configuration.
func refuseFile(info fs.FileInfo) (message, hint string) {
	if !info.Mode().IsRegular() {
		return "the configuration is not a regular file", ""
	}
	return refuseOwnership(info)
}

func unreadable(path string, err error, why string) *Error {
	cause := err
	var perr *fs.PathError
	if errors.As(err, &perr) {
		cause = perr.Err
	}
	message := "the configuration file can't be read: " + cause.Error()
	if errors.Is(err, fs.ErrNotExist) {
		message = "the configuration file does not exist"
	}
	return &Error{File: path, Message: message, Hint: why, Err: err}
}
