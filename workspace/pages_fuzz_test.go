package workspace

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/arcseat/arc/workspace/internal/fold"
)

// FuzzPagesOfARead: the pages of any text join to it, from call to call as each
// names the next.
func FuzzPagesOfARead(f *testing.F) {
	f.Add([]byte("a\r\nb\n"), 1)
	f.Add([]byte("\xef\xbb\xbfé"), 40_000)
	f.Add([]byte("x\ry\r\n\n"), 20_000)
	p := newProject(f, nil)
	f.Fuzz(func(t *testing.T, content []byte, times int) {
		if len(content) == 0 || !utf8.Valid(content) || kindByHead(content) != isText {
			t.Skip()
		}
		content = bytes.Repeat(content, 1+max(0, times)%(200_000/len(content)+1))
		p.t = t
		p.put("f", string(content))
		var joined strings.Builder
		for a := (ReadArgs{Path: "f"}); ; {
			r, err := p.Read(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			joined.WriteString(r.Text)
			if r.Next == nil {
				break
			}
			next := r.Next.Arguments.(ReadArgs)
			if next.StartLine < a.StartLine || next.StartLine == a.StartLine && next.StartCharacter <= a.StartCharacter {
				t.Fatalf("%+v leads to %+v", a, next)
			}
			a = next
		}
		if want := string(bytes.ReplaceAll(bytes.TrimPrefix(content, bom), crlf, newline)); joined.String() != want {
			t.Fatalf("pages join to %d bytes, the text has %d", joined.Len(), len(want))
		}
	})
}

// fuzzTree makes a tree of a text: each line is the path of a file, and what
// follows a colon its content, with lines that end in "|".
func fuzzTree(p *project, top, text string) (files map[string]string) {
	files = map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		name, content, _ := strings.Cut(line, ":")
		rel, err := p.parsePath(top+"/"+name, false)
		if err != nil || len(rel) > 200 || name == "" || string(rel) == top || slices.ContainsFunc(rel.elements(), func(n string) bool {
			return isHidden(n) || n == ".gitignore" || n == ".arcignore"
		}) {
			continue
		}
		if os.MkdirAll(p.path(string(rel[:strings.LastIndexByte(string(rel), '/')])), 0o755) != nil {
			continue
		}
		content = strings.ReplaceAll(content, "|", "\n")
		if os.WriteFile(p.path(string(rel)), []byte(content), 0o644) == nil {
			files[string(rel)] = content
		}
	}
	return files
}

// FuzzPagesOfASearch: the pages of a search of any tree join to what a plain loop
// over its files finds, in order.
func FuzzPagesOfASearch(f *testing.F) {
	f.Add("needle", "a:needle|x|Needle\nb/c:needle\nb.x:needle", 1)
	f.Add("k", "\"q\":\u212a\nz/é:K|k|", 2)
	p, made := newProject(f, nil), 0
	f.Fuzz(func(t *testing.T, query, text string, limit int) {
		if checkQuery(SearchArgs{Query: query}) != nil || len(text) > 4000 {
			t.Skip()
		}
		made++
		top := fmt.Sprintf("t%d", made)
		files := fuzzTree(p, top, text)
		defer os.RemoveAll(p.path(top))
		if len(files) == 0 {
			t.Skip()
		}
		m := fold.New(query)
		var want, got []string
		for name, content := range files {
			if kindByHead([]byte(content[:min(len(content), binaryHead)])) != isText {
				continue
			}
			for i, line := range strings.Split(strings.TrimPrefix(content, string(bom)), "\n") {
				if start, _ := m.Index([]byte(line)); start >= 0 {
					want = append(want, fmt.Sprintf("%s:%06d", name, i+1))
				}
			}
		}
		slices.SortFunc(want, func(a, b string) int {
			x, y := strings.LastIndexByte(a, ':'), strings.LastIndexByte(b, ':')
			if c := comparePaths(relPath(a[:x]), relPath(b[:y])); c != 0 {
				return c
			}
			return strings.Compare(a[x:], b[y:])
		})
		for a := (SearchArgs{Query: query, Path: top, Limit: 1 + max(0, limit)%9}); ; {
			r, err := p.Search(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Notes) > 0 && strings.HasPrefix(r.Notes[0], "matched_") {
				return // another form of the query, which others try
			}
			for _, file := range r.Files {
				for _, l := range file.Lines {
					got = append(got, fmt.Sprintf("%s:%06d", file.Path, l.Line))
				}
			}
			if r.Next == nil {
				break
			}
			a = r.Next.Arguments.(SearchArgs)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("found %q, want %q", got, want)
		}
	})
}

// FuzzPagesOfAList: the pages of a list of any tree join to its files, in order.
func FuzzPagesOfAList(f *testing.F) {
	f.Add("a\nb/c\nb.x\nb-\nb/d/e", 1)
	p, made := newProject(f, nil), 0
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if len(text) > 4000 {
			t.Skip()
		}
		made++
		top := fmt.Sprintf("t%d", made)
		files := fuzzTree(p, top, text)
		defer os.RemoveAll(p.path(top))
		if len(files) == 0 {
			t.Skip()
		}
		var want, got []string
		for name := range files {
			want = append(want, name)
		}
		slices.SortFunc(want, func(a, b string) int { return comparePaths(relPath(a), relPath(b)) })
		for a := (ListArgs{Path: top, Limit: 1 + max(0, limit)%9}); ; {
			r, err := p.List(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range r.Entries {
				if !strings.HasSuffix(e, "/") || files[e] != "" { // an empty directory
					got = append(got, e)
				}
			}
			if r.Next == nil {
				break
			}
			a = r.Next.Arguments.(ListArgs)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("listed %q, want %q", got, want)
		}
	})
}
