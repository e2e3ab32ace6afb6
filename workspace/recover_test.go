package workspace

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arcseat/arc"
)

// interrupted is a project whose process died right after the exchange of an edit
// of f: somebody else's version came out of it or took the file's place.
func interrupted(t *testing.T, spoil func(p *project, tmp string)) *project {
	t.Helper()
	p := newProject(t, map[string]string{"f": "old"})
	p.edit("f", "old", "new")
	p.Close()
	b, err := os.ReadFile(p.segment(1))
	if err != nil {
		t.Fatal(err)
	}
	b = b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] // without the commit
	if err := os.WriteFile(p.segment(1), b, 0o600); err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(b, []byte(`"id":"`)) + len(`"id":"`)
	spoil(p, tempName(string(b[i:i+bytes.IndexByte(b[i:], '"')])))
	p.open(nil)
	return p
}

func TestAmbiguousChangesWaitForTheHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(p *project, tmp string)
		reason string
		how    Resolution
		want   string
		code   arc.Code
	}{
		{"somebody saved at the last moment: keep", func(p *project, tmp string) { p.put(tmp, "theirs") }, "displaced_changed", KeepCurrent, "new", ""},
		{"somebody saved at the last moment: restore", func(p *project, tmp string) { p.put(tmp, "theirs") }, "displaced_changed", RestoreBefore, "old", ""},
		{"somebody saved since: keep", func(p *project, tmp string) { p.put("f", "theirs") }, "target_changed", KeepCurrent, "theirs", ""},
		{"somebody saved since: restore", func(p *project, tmp string) { p.put("f", "theirs") }, "target_changed", RestoreBefore, "old", ""},
		{"the new content was kept", func(p *project, tmp string) { p.put("f", "theirs"); p.put(tmp, "new") }, "target_changed", RestoreAfter, "new", ""},
		{"the new content was not kept", func(p *project, tmp string) { p.put("f", "theirs") }, "target_changed", RestoreAfter, "theirs", NotUndoable},
		{"the file is gone", func(p *project, tmp string) { os.Remove(p.path("f")) }, "target_missing", RestoreBefore, "old", ""},
		{"a directory took its place", func(p *project, tmp string) { os.Remove(p.path("f")); p.put("f/x", "x") }, "not_regular", KeepCurrent, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := interrupted(t, c.spoil)
			r := p.status()
			if !r.Blocked || len(r.Ambiguous) != 1 || r.Ambiguous[0].Reason != c.reason {
				t.Fatalf("status is %+v", r)
			}
			_, err := p.Write(ctx, by, WriteArgs{Path: "g", Content: "x"})
			wantCode(t, err, RecoveryBlocked)
			err = p.Resolve(ctx, r.Ambiguous[0].ChangeID, c.how)
			if c.code != "" {
				wantCode(t, err, c.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.want != "" && p.get("f") != c.want {
				t.Errorf("file is %q, want %q", p.get("f"), c.want)
			}
			p.noLeftovers()
			p.create("g", "x")
			p.open(nil)
			if r := p.status(); r.Blocked {
				t.Errorf("opened again: %+v", r)
			}
		})
	}
}

// TestAnAmbiguityThatPasses: a file that could not be read for a moment, as for
// want of descriptors, does not block changes for as long as the process runs.
func TestAnAmbiguityThatPasses(t *testing.T) {
	p := interrupted(t, func(p *project, tmp string) {
		os.Remove(p.path("f"))
		if err := os.Symlink("f", p.path("f")); err != nil {
			t.Skip(err)
		}
	})
	if r := p.status(); len(r.Ambiguous) != 1 || r.Ambiguous[0].Reason != "unreadable" {
		t.Fatalf("status is %+v", r)
	}
	os.Remove(p.path("f"))
	p.put("f", "new")
	if r := p.status(); r.Blocked || len(r.Recovered) != 1 {
		t.Errorf("status is %+v", r)
	}
	p.create("g", "x")
}

// A clingingFolder does not let go of temporary files, as one that was made
// read-only.
type clingingFolder struct{ folder }

func (f clingingFolder) openDir(name string) (folder, error) {
	d, err := f.folder.openDir(name)
	return clingingFolder{d}, err
}

func (f clingingFolder) remove(name string) error {
	if isTempName(name) {
		return fs.ErrPermission
	}
	return f.folder.remove(name)
}

func TestALeftoverThatCannotBeRemovedBlocksChangesAlone(t *testing.T) {
	p := interrupted(t, func(p *project, tmp string) {
		p.put(tmp, "old")
		ws := &Workspace{}
		if err := ws.start(p.dir, &Options{State: p.state}, func(d folder) folder { return clingingFolder{d} }); err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		if r, err := ws.RecoveryStatus(ctx); err != nil || !r.Blocked || len(r.Ambiguous) != 1 {
			t.Errorf("status is %+v, %v", r, err)
		}
		if _, err := ws.Read(ctx, ReadArgs{Path: "f"}); err != nil {
			t.Error(err)
		}
	})
	if r := p.status(); r.Status != "recovered" {
		t.Errorf("once it can be removed: %+v", r)
	}
	p.noLeftovers()
}

// TestAResolutionThatFailsHalfWay: what a change kept beside its file is in one
// place or the other at any moment, and the change ends once.
func TestAResolutionThatFailsHalfWay(t *testing.T) {
	var tmp string
	p := interrupted(t, func(p *project, name string) { tmp = name; p.put(tmp, "theirs") })
	id := p.status().Ambiguous[0].ChangeID
	kept := filepath.Join(p.state, "journal", "kept")
	if err := os.Remove(kept); err != nil { // no copy can be made
		t.Fatal(err)
	}
	if err := p.Resolve(ctx, id, KeepCurrent); err == nil {
		t.Fatal("resolved without a copy")
	}
	if p.get(tmp) != "theirs" || !p.status().Blocked {
		t.Error("what could not be copied is not as it was")
	}
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept, id), []byte("th"), 0o600); err != nil { // a copy cut short
		t.Fatal(err)
	}
	if err := p.Resolve(ctx, id, KeepCurrent); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(kept, id))
	if string(b) != "theirs" || err != nil || p.exists(tmp) {
		t.Errorf("kept %q, %v", b, err)
	}
	p.open(nil)
	if r := p.status(); r.Blocked || !slices.Equal(r.Conflicts, []string{id}) {
		t.Errorf("opened again: %+v", r)
	}
}
