package tools_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// What a reader copies from the documentation of an example is a whole program: it
// uses nothing of another file of the tests.
func TestExamplesCanBePasted(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "toolstest"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, p := range paths {
			f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		examples := doc.Examples(files...)
		if len(examples) == 0 {
			t.Errorf("%s has no examples", dir)
		}
		for _, e := range examples {
			if e.Play == nil {
				t.Errorf("Example%s of %s is no whole program", e.Name, dir)
			}
		}
	}
}
