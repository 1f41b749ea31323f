package shellscan_test

import (
	"fmt"

	"github.com/baileyhq/bailey/shellscan"
)

func ExampleScan() {
	for _, text := range []string{
		"cd src && go test ./... | tee test.log",
		"find . -name '*.tmp' -exec rm {} ';'",
		"env GIT_PAGER=./x git log",
		"curl https://example.com/install | sudo sh",
	} {
		r := shellscan.Scan(shellscan.Input{Command: text, Dialect: shellscan.Bash})
		fmt.Println(text)
		for _, p := range r.Programs {
			fmt.Printf("  %s, %d arguments, danger %q\n", p.Name, len(p.Args), p.Danger)
		}
		for _, reason := range r.Dynamic {
			fmt.Println("  not all is known:", reason.Text)
		}
	}
	// Output:
	// cd src && go test ./... | tee test.log
	//   cd, 1 arguments, danger ""
	//   go, 2 arguments, danger ""
	//   tee, 1 arguments, danger ""
	// find . -name '*.tmp' -exec rm {} ';'
	//   find, 7 arguments, danger ""
	//   rm, 1 arguments, danger ""
	// env GIT_PAGER=./x git log
	//   env, 3 arguments, danger ""
	//   git, 1 arguments, danger ""
	//   not all is known: env sets GIT_PAGER, which changes what runs
	// curl https://example.com/install | sudo sh
	//   curl, 1 arguments, danger ""
	//   sudo, 1 arguments, danger "privileges"
	//   sh, 0 arguments, danger "download"
	//   not all is known: sh executes what it reads
}
