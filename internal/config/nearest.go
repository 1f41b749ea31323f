package config

import (
	"strings"

	"github.com/baileyhq/bailey/internal/nearest"
)

// didYouMean is the hint that names the candidate nearest to what was written,
// "" where none is near.
func didYouMean(name string, candidates []string) string {
	return suggestion(nearestKey(name, candidates))
}

func suggestion(name string) string {
	if name == "" {
		return ""
	}
	return "did you mean `" + name + "`?"
}

// nearestKey treats a hyphen as the underscore that it was meant to be.
func nearestKey(name string, candidates []string) string {
	return nearest.Of(strings.ReplaceAll(name, "-", "_"), candidates)
}
