# The commands of this project. `make` lists them; each works from a clean clone
# on Debian 12 with Go, make and git, and installs what else it needs.

GOLANGCI_VERSION := v2.15.0
FUZZTIME         ?= 30s
BENCH            ?= .
BENCHTIME        ?= 1s

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  := -s -w -X github.com/baileyhq/bailey/internal/cli.version=$(VERSION)
TOOLS    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/bailey-tools
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint

.DEFAULT_GOAL := help
.PHONY: help run build test bench fuzz lint fmt setup clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

run: ## build bailey and take the tour
	@scripts/setup run
	@$(MAKE) --no-print-directory build
	bin/bailey tour

build: ## build bin/bailey
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/bailey ./cmd/bailey

test: ## vet, cross builds, and all tests: with the race detector, and as root also as an ordinary user
	@scripts/setup test
	scripts/test

bench: ## run the benchmarks (BENCH=regexp, BENCHTIME=1s)
	@scripts/setup bench
	go test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

fuzz: ## run every fuzz target for FUZZTIME (30s)
	scripts/fuzz $(FUZZTIME)

lint: $(GOLANGCI) ## format, static checks, and the proof that the two design rules bite
	$(GOLANGCI) run ./...
	go mod tidy -diff
	scripts/lint-selftest $(GOLANGCI)

fmt: $(GOLANGCI) ## format the code
	$(GOLANGCI) fmt ./...

setup: ## install what tests and benchmarks need and is missing
	@scripts/setup test bench

clean: ## remove what was built
	rm -rf bin coverage.out

# A directory a version: outside of the checkout, so that a fresh clone finds it.
$(GOLANGCI):
	GOBIN=$(@D) CGO_ENABLED=0 go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
