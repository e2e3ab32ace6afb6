package arc_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("api", false, "write what the packages export to testdata/api")

// A change to what hosts compile against is to be seen when it is made: each
// package's exported declarations stand in testdata/api, as on Linux with cgo.
func TestTheExportedSurfaceIsWrittenDown(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	err := filepath.WalkDir(".", func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		switch name := e.Name(); {
		case name == "internal" || name == "testdata" || name == "examples" || name == "cmd" || dir != "." && strings.HasPrefix(name, "."):
			return filepath.SkipDir
		}
		surface, err := exported(dir)
		if err != nil || surface == "" {
			return err
		}
		golden := strings.ReplaceAll(filepath.ToSlash(dir), "/", "_") + ".txt"
		if dir == "." {
			golden = "arc.txt"
		}
		have[golden] = true
		golden = filepath.Join("testdata", "api", golden)
		if *updateAPI {
			return os.WriteFile(golden, []byte(surface), 0o666)
		}
		want, err := os.ReadFile(golden)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if string(want) != surface {
			t.Errorf("what package %s exports has changed (go test -run Surface . -api writes it down, and CHANGELOG.md tells hosts):\n%s%s", dir,
				without("-", string(want), surface), without("+", surface, string(want)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadDir("testdata/api")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range written {
		if !have[f.Name()] {
			t.Errorf("testdata/api/%s is of no package", f.Name())
		}
	}
}

// exported are the declarations of the package in dir that a host can use, sorted.
func exported(dir string) (string, error) {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled = "linux", "amd64", true
	pkg, err := ctx.ImportDir(dir, 0)
	if _, none := err.(*build.NoGoError); none || err == nil && pkg.Name == "main" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var decls []string
	for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && !ast.IsExported(receiver(d.Recv.List[0].Type)) {
					continue
				}
				d.Body = nil
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
			}
			var buf bytes.Buffer
			if err := printer.Fprint(&buf, set, d); err != nil {
				return "", err
			}
			decls = append(decls, strings.ReplaceAll(buf.String(), "\n\n", "\n")+"\n")
		}
	}
	slices.Sort(decls)
	return strings.Join(decls, ""), nil
}

func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// without are the lines of a that b does not have, each behind mark.
func without(mark, a, b string) string {
	var out strings.Builder
	for line := range strings.Lines(a) {
		if !strings.Contains("\n"+b, "\n"+line) {
			out.WriteString(mark + line)
		}
	}
	return out.String()
}
