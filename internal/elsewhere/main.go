// Command elsewhere type-checks the packages of modules, tests included, as another
// system compiles them:
//
//	go run ./internal/elsewhere windows . docs/pdfium
//
// It reads all that they import as source and compiles nothing, so it takes seconds where
// go vet, which compiles a whole SQLite for each system first, takes minutes.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: elsewhere GOOS FOLDER...")
		os.Exit(2)
	}
	env := append(os.Environ(), "GOOS="+os.Args[1], "CGO_ENABLED=0", "GOWORK=off")
	wrong := 0
	for _, folder := range os.Args[2:] {
		found, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps |
				packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax,
			Dir:   folder,
			Env:   env,
			Tests: true,
		}, "./...")
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			wrong++
		case len(found) == 0:
			fmt.Fprintf(os.Stderr, "%s has no packages\n", folder)
			wrong++
		default:
			wrong += packages.PrintErrors(found)
		}
	}
	if wrong > 0 {
		os.Exit(1)
	}
}
