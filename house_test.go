package arc_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/arcseat/arc"

// A pkg is a package of this module as the go command lists it.
type pkg struct {
	ImportPath, Name, Doc, Dir string
	Standard                   bool
	GoFiles, Imports, Deps     []string
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// within is an import path below the module, "." for its root, and whether it is
// the module's at all.
func within(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// A family may import arc, tools and internal packages, and its own folders.
var families = []string{"workspace", "shell", "docs", "webtool", "computer", "seat"}

// Heavy modules, and the only folders that may link them.
var owners = map[string][]string{
	"github.com/PuerkitoBio/goquery":         {"webtool", "webtool/internal/render"},
	"github.com/gen2brain/go-fitz":           {"docs/fitz"},
	"github.com/go-vgo/robotgo":              {"computer/robot"},
	"github.com/jezek/xgb":                   {"computer/x11", "internal/xclient"},
	"modernc.org/sqlite":                     {"seat/sqlite"},
	"github.com/jackc/pgx/v5":                {"seat/postgres"},
	"github.com/modelcontextprotocol/go-sdk": {"tools/mcptool", "examples/mcpserver"},
	"github.com/invopop/jsonschema":          {"tools"},
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range list(t, "./...") {
		at, _ := within(p.ImportPath)
		top, _, _ := strings.Cut(at, "/")
		for _, path := range p.Imports {
			to, ours := within(path)
			toTop, _, _ := strings.Cut(to, "/")
			switch {
			case top == "examples":
			case at == "." && (ours || strings.Contains(path, ".")):
				t.Errorf("arc imports %s; it may import the standard library only", path)
			case ours && toTop == "examples":
				t.Errorf("%s imports %s: nothing imports the examples", at, to)
			case ours && top == "tools" && slices.Contains(families, toTop):
				t.Errorf("%s imports the family %s", at, to)
			case ours && top == "internal" && to != "." && toTop != "internal":
				t.Errorf("%s imports %s", at, to)
			case ours && slices.Contains(families, top) && slices.Contains(families, toTop) && top != toTop:
				t.Errorf("the family %s imports the family %s", at, to)
			}
			for heavy, may := range owners {
				if (path == heavy || strings.HasPrefix(path, heavy+"/")) && !slices.Contains(may, at) {
					t.Errorf("%s imports %s, which only %v may link", at, path, may)
				}
			}
		}
	}
}

// TestEachPackageTeaches fails a public package whose comment lacks a section
// that a newcomer looks for, and any package without a comment.
func TestEachPackageTeaches(t *testing.T) {
	for _, p := range list(t, "./...") {
		at, _ := within(p.ImportPath)
		if p.Doc == "" {
			t.Errorf("%s has no package comment", at)
			continue
		}
		if p.Name == "main" || strings.Contains("/"+at+"/", "/internal/") {
			continue
		}
		var sections []string
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc == nil {
				continue
			}
			var c comment.Parser
			for _, b := range c.Parse(f.Doc.Text()).Content {
				if h, ok := b.(*comment.Heading); ok {
					sections = append(sections, headingText(h))
				}
			}
		}
		for _, want := range []string{"Overview", "Usage", "Trust", "Concurrency", "Errors"} {
			if !slices.Contains(sections, want) {
				t.Errorf("%s: the package comment has no section %s; it has %q", at, want, sections)
			}
		}
	}
}

func headingText(h *comment.Heading) string {
	var b strings.Builder
	for _, x := range h.Text {
		if s, ok := x.(comment.Plain); ok {
			b.WriteString(string(s))
		}
	}
	return b.String()
}

// TestEachExportedNameHasADoc fails a name that a host can use and no comment tells of,
// the fields of structs and the methods of interfaces included. A constant or variable
// may share the comment of its group, an argument of a tool have the words that its
// model is told.
func TestEachExportedNameHasADoc(t *testing.T) {
	for _, p := range list(t, "./...") {
		at, _ := within(p.ImportPath)
		if p.Name == "main" || strings.Contains("/"+at+"/", "/internal/") {
			continue
		}
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				for _, name := range undocumented(d) {
					t.Errorf("%s: %s has no doc comment", filepath.Join(at, file), name)
				}
			}
		}
	}
}

// undocumented are the exported names of a declaration that have no comment, members
// of its types included.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if d.Doc == nil && s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
					names = append(names, s.Name.Name)
				}
				if s.Name.IsExported() {
					names = append(names, undocumentedMembers(s)...)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if d.Doc == nil && s.Doc == nil && s.Comment == nil && n.IsExported() {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// undocumentedMembers are the exported fields or methods of a type that have no comment.
func undocumentedMembers(s *ast.TypeSpec) (names []string) {
	var list *ast.FieldList
	switch x := s.Type.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		if f.Doc != nil || f.Comment.Text() != "" || f.Tag != nil && strings.Contains(f.Tag.Value, "jsonschema_description:") {
			continue
		}
		for _, n := range f.Names {
			if n.IsExported() {
				names = append(names, s.Name.Name+"."+n.Name)
			}
		}
	}
	return names
}

// TestEveryCodeIsNamedOnceAndReturned finds two constants for one code, a code
// without a constant, and a constant that nothing returns.
func TestEveryCodeIsNamedOnceAndReturned(t *testing.T) {
	codes := map[string]string{}  // code: the constant's package and name
	declared := map[string]bool{} // constants
	used := map[string]bool{}     // names that non-test code mentions
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata") {
			if err == nil {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		consts := map[*ast.Ident]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if !isCodeType(n.Type, f.Name.Name) {
					return true
				}
				for i, name := range n.Names {
					consts[name] = true
					if i >= len(n.Values) {
						continue
					}
					value, err := strconv.Unquote(n.Values[i].(*ast.BasicLit).Value)
					if err != nil {
						t.Errorf("%s: %v", path, err)
					}
					if other, ok := codes[value]; ok {
						t.Errorf("%s is the code of %s and of %s.%s", value, other, dir, name.Name)
					}
					codes[value] = dir + "." + name.Name
					declared[name.Name] = true
				}
			case *ast.CallExpr:
				if isCodeType(n.Fun, f.Name.Name) && len(n.Args) == 1 {
					if lit, ok := n.Args[0].(*ast.BasicLit); ok && lit.Value != `""` {
						t.Errorf("%s: a code without a constant", path)
					}
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Code" {
					if _, ok := n.Value.(*ast.BasicLit); ok {
						t.Errorf("%s: a code without a constant", path)
					}
				}
			case *ast.Ident:
				if !consts[n] {
					used[n.Name] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(codes) < 30 {
		t.Errorf("found only %d codes; the test looks in the wrong place", len(codes))
	}
	for name := range declared {
		if !used[name] {
			t.Errorf("nothing returns %s", name)
		}
	}
}

func isCodeType(x ast.Expr, pkg string) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return pkg == "arc" && x.Name == "Code"
	case *ast.SelectorExpr:
		p, ok := x.X.(*ast.Ident)
		return ok && p.Name == "arc" && x.Sel.Name == "Code"
	}
	return false
}
