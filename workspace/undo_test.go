package workspace

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

func TestUndo(t *testing.T) {
	t.Run("an undo can be undone, to any depth", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "old"})
		id := p.edit("f", "old", "new").ChangeID
		for i := range 5 {
			r := p.undo(id)
			want := []string{"old", "new"}[i%2]
			if got := p.get("f"); got != want || r.Undid != id {
				t.Fatalf("undo %d left %q, want %q", i+1, got, want)
			}
			id = r.ChangeID
		}
	})
	t.Run("each change of a chain of undoes is in effect or is not", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "old"})
		ids := []string{p.edit("f", "old", "new").ChangeID}
		for range 4 {
			ids = append(ids, p.undo(ids[len(ids)-1]).ChangeID)
			h, err := p.History(ctx, HistoryArgs{})
			if err != nil {
				t.Fatal(err)
			}
			want := "applied"
			for i, e := range h.Changes { // from the newest undo to the edit
				if e.Status != want || want == "undone" && e.UndoneBy != h.Changes[i-1].ChangeID {
					t.Errorf("after %d undoes, change %d is %+v, want %s", len(ids)-1, len(ids)-i, e, want)
				}
				want = map[string]string{"applied": "undone", "undone": "applied"}[want]
			}
		}
	})
	t.Run("a change that was redone can be undone by its own name", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "old"})
		edit := p.edit("f", "old", "new").ChangeID
		p.undo(p.undo(edit).ChangeID)
		p.undo(edit)
		if got := p.get("f"); got != "old" {
			t.Errorf("file is %q", got)
		}
	})
	t.Run("twice", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "old"})
		edit := p.edit("f", "old", "new").ChangeID
		undo := p.undo(edit).ChangeID
		_, err := p.Undo(ctx, by, UndoArgs{edit})
		if e := wantCode(t, err, AlreadyUndone); !strings.Contains(e.Message, undo) || e.Next == nil {
			t.Errorf("%+v", e)
		}
	})
	t.Run("a later change names itself", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "1"})
		first := p.edit("f", "1", "2").ChangeID
		second := p.edit("f", "2", "3").ChangeID
		third := p.edit("f", "3", "4").ChangeID
		_, err := p.Undo(ctx, by, UndoArgs{first})
		e := wantCode(t, err, ChangedSince)
		if got := fmt.Sprintf("%+v", e.Detail); !strings.Contains(got, "Later:["+third+" "+second+"]") {
			t.Errorf("detail is %s", got)
		}
		p.undo(third)
		p.undo(second)
		p.undo(first)
		if p.get("f") != "1" {
			t.Errorf("file is %q", p.get("f"))
		}
	})
	t.Run("an outsider's change is not overwritten", func(t *testing.T) {
		p := newProject(t, map[string]string{"f": "1"})
		id := p.edit("f", "1", "2").ChangeID
		p.put("f", "theirs")
		_, err := p.Undo(ctx, by, UndoArgs{id})
		wantCode(t, err, ChangedSince)
		if p.get("f") != "theirs" {
			t.Error("their version is gone")
		}
	})
	t.Run("a create whose file was edited since is not deleted", func(t *testing.T) {
		p := newProject(t, nil)
		id := p.create("f", "1").ChangeID
		p.put("f", "theirs")
		_, err := p.Undo(ctx, by, UndoArgs{id})
		wantCode(t, err, ChangedSince)
		if p.get("f") != "theirs" {
			t.Error("their version is gone")
		}
	})
	t.Run("a file of the largest size, which no packing makes smaller", func(t *testing.T) {
		content := make([]byte, maxEdit)
		rand.NewChaCha8([32]byte{}).Read(content)
		p := newProject(t, map[string]string{"f": string(content)})
		r, err := p.Write(ctx, by, WriteArgs{Path: "f", Content: "x", ExpectedSHA256: p.hash("f")})
		if err != nil {
			t.Fatal(err)
		}
		if p.undo(r.ChangeID); p.get("f") != string(content) {
			t.Error("another file came back")
		}
	})
	t.Run("no such change", func(t *testing.T) {
		p := newProject(t, nil)
		id := p.create("f", "1").ChangeID
		for _, bad := range []string{"", "change_1_zzzz", "nonsense", strings.Repeat("x", 10000)} {
			_, err := p.Undo(ctx, by, UndoArgs{bad})
			if e := wantCode(t, err, arc.NotFound); !strings.Contains(fmt.Sprintf("%+v", e.Detail), id) || len(e.Message) > 200 {
				t.Errorf("%+v", e)
			}
		}
	})
}

func TestNoConflictCopy(t *testing.T) {
	p := newProject(t, nil)
	id := p.create("f", "x").ChangeID
	for _, id := range []string{id, "nonsense"} {
		_, err := p.ConflictCopy(ctx, id)
		wantCode(t, err, arc.NotFound)
	}
}

func TestHistory(t *testing.T) {
	p := newProject(t, map[string]string{"f": "a\nb\n"})
	var ids []string
	for i := range 7 {
		ids = append(ids, p.create(fmt.Sprintf("n%d", i), "x\ny\n").ChangeID)
	}
	edit := p.edit("f", "b\n", "c\nd\n").ChangeID
	undo := p.undo(edit).ChangeID
	p.put("n0", "changed outside")
	t.Run("newest first, with what became of each", func(t *testing.T) {
		h, err := p.History(ctx, HistoryArgs{})
		if err != nil {
			t.Fatal(err)
		}
		if h.Total != 9 || h.Truncated || len(h.Changes) != 9 {
			t.Fatalf("%d of %d, truncated %v", len(h.Changes), h.Total, h.Truncated)
		}
		e := h.Changes[1]
		if e.ChangeID != edit || e.Status != "undone" || e.UndoneBy != undo || e.Undoable || e.Current != false || e.Added != 2 || e.Removed != 1 {
			t.Errorf("the edit is %+v", e)
		}
		e = h.Changes[0]
		if e.ChangeID != undo || e.Status != "applied" || e.UndoOf != edit || !e.Undoable || e.Current != true {
			t.Errorf("the undo is %+v", e)
		}
		if e = h.Changes[8]; e.Current != false || e.Op != Create || e.Path != "n0" {
			t.Errorf("the first create is %+v", e)
		}
	})
	t.Run("pages join to the whole", func(t *testing.T) {
		for limit := 1; limit < 10; limit++ {
			var got []string
			a := HistoryArgs{Limit: limit}
			for {
				h, err := p.History(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range h.Changes {
					got = append(got, e.ChangeID)
				}
				if h.Next == nil {
					break
				}
				a = h.Next.Arguments.(HistoryArgs)
			}
			want := []string{undo, edit}
			for i := range ids {
				want = append(want, ids[len(ids)-1-i])
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("pages of %d are %v, want %v", limit, got, want)
			}
		}
	})
	t.Run("more than is allowed is lowered", func(t *testing.T) {
		h, err := p.History(ctx, HistoryArgs{Limit: 10000})
		if err != nil || h.Limit != maxHistory {
			t.Errorf("limit %d, %v", h.Limit, err)
		}
	})
	t.Run("what a turn changed", func(t *testing.T) {
		other := arc.Origin{Seat: "other", Turn: "turn_9"}
		r, err := p.Write(ctx, other, WriteArgs{Path: "theirs", Content: "x"})
		if err != nil {
			t.Fatal(err)
		}
		touched, err := p.Touched(ctx, "other", []arc.TurnID{"turn_9"})
		if err != nil || len(touched) != 1 || touched[0].ID != r.ChangeID || !touched[0].Undoable {
			t.Errorf("%+v, %v", touched, err)
		}
		if touched, _ := p.Touched(ctx, "other", []arc.TurnID{"turn_1"}); len(touched) != 0 {
			t.Errorf("another turn: %+v", touched)
		}
	})
	t.Run("it is the same after opening again", func(t *testing.T) {
		before, err := p.History(ctx, HistoryArgs{})
		if err != nil {
			t.Fatal(err)
		}
		p.open(nil)
		after, err := p.History(ctx, HistoryArgs{})
		if err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("before %+v\nafter %+v (%v)", before, after, err)
		}
	})
}

// TestHistoryThroughASession: a page of long entries ends where a result's header
// is full, and pages still join.
func TestHistoryThroughASession(t *testing.T) {
	p := newProject(t, nil)
	long := strings.Repeat("directory/", 20) + "f"
	p.create(long, "0")
	for n := range 69 {
		p.edit(long, fmt.Sprint(n), fmt.Sprint(n+1))
	}
	p.create(strings.Repeat(strings.Repeat("\x01", 200)+"/", 19)+"f", "x") // 23 kB in JSON
	s := p.session()
	got := 0
	call := arc.Call{Name: "workspace_history", Args: json.RawMessage(`{"limit":500}`)}
	for pages := 1; ; pages++ {
		r := s.Call(ctx, call)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		got += len(r.Data.(*HistoryResult).Changes)
		if r.Next == nil {
			if got != 71 || pages < 2 {
				t.Errorf("%d changes on %d pages", got, pages)
			}
			return
		}
		args, err := json.Marshal(r.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		call.Args = args
	}
}

// A watchedFolder tells with which permissions files are made.
type watchedFolder struct {
	folder
	made map[string]fs.FileMode
}

func (f watchedFolder) openDir(name string) (folder, error) {
	d, err := f.folder.openDir(name)
	return watchedFolder{d, f.made}, err
}

func (f watchedFolder) create(name string, perm fs.FileMode) (file, error) {
	f.made[name] = perm
	return f.folder.create(name, perm)
}

func TestAPrivateFileThatComesBackIsPrivateFromTheStart(t *testing.T) {
	p := newProject(t, nil)
	create := p.create("key", "secret").ChangeID
	if err := os.Chmod(p.path("key"), 0o600); err != nil {
		t.Fatal(err)
	}
	undo := p.undo(create).ChangeID
	made := map[string]fs.FileMode{}
	p.root = watchedFolder{p.root, made}
	redo := p.undo(undo).ChangeID
	if perm := made[tempName(redo)]; perm != 0o600 {
		t.Errorf("its temporary file has mode %#o", perm)
	}
}
