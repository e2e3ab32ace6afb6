package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"github.com/arcseat/arc/tools"
	"pgregory.net/rapid"
)

// oneFile is a project that has one file, whatever it is called.
type oneFile string

func (f oneFile) OpenFile(context.Context, string) (*os.File, error) { return os.Open(string(f)) }

// crowded is a document whose every word is as large as it may be.
func crowded() docstest.Script {
	long := strings.Repeat("\"😀", 300)
	var warnings []string
	for w := range 40 {
		warnings = append(warnings, fmt.Sprintf("warning_%02d_%s", w, strings.Repeat("x", 50)))
	}
	var pages []docs.Page
	for i := range 300 {
		p := docs.Page{HasInk: true, Ink: 0.3, Label: long, Warnings: warnings}
		switch {
		case i%7 == 3:
			p.Err = docs.ErrTimeout
		case i%2 == 0:
			p.Text = strings.Repeat("😀\"😀 needle 😀\\", 9000)
		}
		pages = append(pages, p)
	}
	return docstest.Script{Pages: pages, Info: docs.Info{
		Metadata: docs.Metadata{Title: long, Author: long, Subject: long, Keywords: long, Creator: long, Producer: long, Created: long, Modified: long},
		Warnings: warnings, Format: long, Encryption: long,
	}}
}

// A path of 3,770 quotes took a result over its limits; so could a query.
func TestAResultIsBoundedWhateverItsPathAndQuery(t *testing.T) {
	t.Parallel()
	fake := docstest.NewFake()
	name := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(name, fake.File(crowded()), 0o600); err != nil {
		t.Fatal(err)
	}
	library := docs.New(oneFile(name), fake, &docs.Options{TempDir: t.TempDir(), MaxCharacters: 1_000_000})
	t.Cleanup(func() { library.Close() })
	set, err := tools.NewSet([]arc.Provider{library}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := set.Session(turn)
	call := func(t interface{ Fatalf(string, ...any) }, name string, args any) *arc.Result {
		b, err := json.Marshal(args)
		if err != nil {
			t.Fatalf("%v", err)
		}
		r := s.Call(context.Background(), arc.Call{Name: "workspace_document_" + name, Args: b})
		text := r.String()
		head, _, _ := strings.Cut(text, "\n")
		if len(text) > tools.MaxBody || len(head) > tools.MaxHeader {
			t.Fatalf("%s has %d bytes, its header %d", name, len(text), len(head))
		}
		return r
	}
	reads := func(t interface{ Fatalf(string, ...any) }, path, query string) {
		for _, r := range []*arc.Result{
			call(t, "inspect", docs.InspectArgs{Path: path}),
			call(t, "read", docs.ReadArgs{Path: path, StartPage: 2, EndPage: 299}),
			call(t, "search", docs.SearchArgs{Path: path, Query: query, Limit: 50}),
			call(t, "search", docs.SearchArgs{Path: path, Query: "needle", StartPage: 3, Limit: 50}),
		} {
			if r.Err != nil {
				t.Fatalf("it is refused: %v", r.Err)
			}
		}
	}
	t.Run("of quotes, as long as a path can be", func(t *testing.T) {
		path := strings.Repeat(`"`, 3770)
		reads(t, path, strings.Repeat("😀", 190))
		r := call(t, "search", docs.SearchArgs{Path: path, Query: "needle", Limit: 50})
		if !slices.ContainsFunc(r.Notices, func(n string) bool {
			return strings.HasPrefix(n, "To see the rest of page 1, read it from start_character ")
		}) {
			t.Errorf("notices are %q", r.Notices)
		}
		if next, ok := r.Next.Arguments.(docs.SearchArgs); !ok || next.Path != path {
			t.Errorf("the next call is %+v", r.Next)
		}
	})
	t.Run("one that no result can show is refused", func(t *testing.T) {
		for _, path := range []string{strings.Repeat("\x01", 1400), strings.Repeat(`\`, 4096)} {
			for _, r := range []*arc.Result{
				call(t, "inspect", docs.InspectArgs{Path: path}), call(t, "read", docs.ReadArgs{Path: path, StartPage: 1}), call(t, "search", docs.SearchArgs{Path: path, Query: "x"}),
			} {
				if r.Err == nil || r.Err.Code != arc.InvalidPath {
					t.Errorf("%.200s", r)
				}
			}
		}
	})
	t.Run("a query that no result can show is refused", func(t *testing.T) {
		if r := call(t, "search", docs.SearchArgs{Path: "a.pdf", Query: strings.Repeat("\u200b", 900)}); r.Err == nil || r.Err.Code != arc.InvalidArguments {
			t.Errorf("%.200s", r)
		}
	})
	t.Run("of any characters", func(t *testing.T) {
		bit := rapid.SampledFrom([]string{`"`, `\`, "\x01", "é", "漢", "😀", "a", "/", "\u2028", "\t"})
		rapid.Check(t, func(t *rapid.T) {
			path := strings.Repeat(bit.Draw(t, "part"), rapid.IntRange(1, 1300).Draw(t, "times")) + bit.Draw(t, "end")
			query := "x" + strings.Repeat(bit.Draw(t, "asked"), rapid.IntRange(0, 180).Draw(t, "times asked"))
			reads(t, path, query)
		})
	})
}
