package workspace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

// FuzzPathsStayInside: whatever a path says, and wherever a link on the way leads,
// nothing outside of the project is read or searched, and nothing is made there or in
// .git. What a path was cleaned to stays as it is when it is cleaned again.
func FuzzPathsStayInside(f *testing.F) {
	for _, seed := range [][2]string{
		{"l", "../outside/secret"}, {"l/secret", "../outside"}, {"d/../l", "d/f"}, {"./d//f", "d"}, {"l/", "d/f/"}, {"l", "l"},
		{".GIT/config", "."}, {"l/config", ".git"}, {"l/../f", "d/.."}, {"l/x/y", "d/../../outside"}, {"git~1/x", "d"}, {".g\u200cit/x", "d"}, {"d/f/x", ""},
	} {
		f.Add(seed[0], seed[1])
	}
	top := f.TempDir()
	secret := "nobody in the project knows this"
	files := map[string]string{"outside/secret": secret, "project/d/f": "inside\n", "project/.git/config": "theirs\n", "project/plain": "plain\n"}
	for name, content := range files {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	p := &project{t: f, dir: filepath.Join(top, "project"), state: f.TempDir()}
	p.open(&Options{Durability: Process})
	f.Fuzz(func(t *testing.T, path, target string) {
		target = strings.ReplaceAll(target, "TOP", top) // an absolute one
		link := p.path("l")
		os.RemoveAll(link)
		if os.Symlink(target, link) != nil {
			t.Skip("no such link")
		}
		defer os.RemoveAll(link)
		r, err := p.Read(ctx, ReadArgs{Path: path})
		if err == nil && strings.Contains(r.Text, secret) {
			t.Fatalf("%q, with l to %q, reads the secret", path, target)
		}
		wantCoded(t, err)
		if s, err := p.Search(ctx, SearchArgs{Query: secret, Path: path}); err == nil && s.Matches > 0 {
			t.Fatalf("%q, with l to %q, searches the secret", path, target)
		}
		if clean, err := p.parsePath(path, true); err == nil {
			again, err := p.parsePath(string(clean), true)
			if err != nil || again != clean || slices.Contains(clean.elements(), "..") || slices.Contains(clean.elements(), "") {
				t.Fatalf("%q is cleaned to %q, and that to %q, %v", path, clean, again, err)
			}
		}
		p.CheckTarget(ctx, path)
		w, err := p.Write(ctx, by, WriteArgs{Path: path, Content: "made"})
		wantCoded(t, err)
		for name, content := range files {
			b, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
			if err != nil || string(b) != content {
				t.Fatalf("%q, with l to %q: %s is %q, %v", path, target, name, b, err)
			}
		}
		for dir, want := range map[string]int{"outside": 1, "project/.git": 1, ".": 2} {
			if entries, err := os.ReadDir(filepath.Join(top, dir)); err != nil || len(entries) != want {
				t.Fatalf("%q, with l to %q: there are %v in %s, %v", path, target, entries, dir, err)
			}
		}
		if w != nil {
			if _, err := p.Undo(ctx, by, UndoArgs{w.ChangeID}); err != nil {
				t.Fatalf("%q, with l to %q: %v", path, target, err)
			}
		}
	})
}

func wantCoded(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.As(err, new(*arc.Error)) {
		t.Fatalf("the error is none for a model: %v", err)
	}
}

// FuzzRecordsReadAsJSON: what is read of a line without a JSON decoder, or without
// its image, is what the decoder reads of all of it.
func FuzzRecordsReadAsJSON(f *testing.F) {
	c := chain{}
	for _, r := range []*record{
		{Seq: 1, Type: typeHeader, Workspace: "/w"},
		{Seq: 2, Type: typeIntent, ID: "change_2_abcd", intent: &intent{Op: Replace, Path: `a"b\`, Real: "a", Before: &version{Image: "inline:AAAA"}, After: &version{}}},
		{Seq: 3, Type: typeCommit, ID: "change_2_abcd", Now: hashOf(nil)},
		{Seq: 4, Type: typeCommit, ID: "change_2_abcd", Now: hashOf(nil), Kept: "change_2_abcd", Reason: "recovered"},
		{Seq: 5, Type: typeCommit, ID: "change_2_abcd"},
	} {
		line, err := c.encode(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line[:len(line)-1])
	}
	f.Add([]byte(`{"v":1,"seq":3,"t":"commit","ts":"2026-01-02T03:04:05Z","id":"x","now":"y","prev":"z","mac":"` + strings.Repeat("a", 64) + `"}`))
	f.Add([]byte(`{"v":1,"seq":3,"t":"commit","ts":"2026-01-02T03:04:05Z","id":"x","now":"y","prev":"z","mac":"a","prev":"b"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if _, _, ok := cutMAC(line); !ok {
			return
		}
		want := record{intent: &intent{}}
		err := json.Unmarshal(line, &want)
		if r, ok := parseCommit(line); ok {
			want.intent = nil
			if err != nil || !reflect.DeepEqual(r, want) {
				t.Fatalf("%s\nis read as %+v, want %+v, %v", line, r, want, err)
			}
			return
		}
		if err != nil {
			return
		}
		got := record{intent: &intent{}}
		if err := json.Unmarshal(withoutImage(line), &got); err != nil {
			t.Fatalf("%s\nwithout its image: %v", line, err)
		}
		for _, r := range []*record{&got, &want} {
			if b := r.Before; b != nil && strings.HasPrefix(b.Image, imageInline+":") {
				b.Image = imageInline
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nwithout its image is %+v, want %+v", line, got, want)
		}
	})
}
