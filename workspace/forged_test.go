package workspace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forge lets somebody who can write to the state directory rewrite the journal,
// hashes and all. A record without a type is dropped.
func (p *project) forge(do func(r *record)) {
	p.t.Helper()
	read, write, seq := chain{}, chain{}, uint64(0)
	p.rewrite(p.segment(1), func(b []byte) (forged []byte) {
		for line := range bytes.Lines(b) {
			r, err := read.decode(bytes.TrimSuffix(line, newline), false)
			if err != nil {
				p.t.Fatal(err)
			}
			if do(r); r.Type == "" {
				continue
			}
			seq++
			r.Seq = seq
			if line, err = write.encode(r); err != nil {
				p.t.Fatal(err)
			}
			forged = append(forged, line...)
		}
		return forged
	})
	h, err := json.Marshal(head{Seq: seq, MAC: write.mac})
	if err != nil {
		p.t.Fatal(err)
	}
	p.rewrite(filepath.Join(p.state, "journal", "HEAD"), func([]byte) []byte { return h })
}

// TestAForgedRecordIsDamage: without a key a forged record is sound in itself. What
// it says is checked before anything is done with it.
func TestAForgedRecordIsDamage(t *testing.T) {
	t.Parallel()
	intents := func(do func(in *intent)) func(r *record) {
		return func(r *record) {
			if r.Type == typeIntent && r.Op == Replace {
				do(r.intent)
			}
		}
	}
	ends := func(do func(r *record)) func(r *record) {
		return func(r *record) {
			if r.Type == typeCommit {
				do(r)
			}
		}
	}
	for _, c := range []struct {
		name   string
		forge  func(r *record)
		passes bool
	}{
		{"nothing changed", func(*record) {}, true},
		{"a blob without a hash", intents(func(in *intent) { in.Before.Hash, in.Before.Image = "", imageBlob }), false},
		{"a blob with a short hash", intents(func(in *intent) { in.Before.Hash, in.Before.Image = "a", imageBlob }), false},
		{"a hash that is a path", intents(func(in *intent) { in.Before.Hash = SHA256("../" + strings.Repeat("a", 61)) }), false},
		{"a hash in capitals", intents(func(in *intent) { in.After.Hash = SHA256(strings.ToUpper(string(in.After.Hash))) }), false},
		{"a negative size", intents(func(in *intent) { in.Before.Size = -1 }), false},
		{"a size that overflows", intents(func(in *intent) { in.Before.Size = 1<<63 - 1 }), false},
		{"the mode of a directory", intents(func(in *intent) { in.Before.Mode |= 1 << 31 }), false},
		{"an image of no kind", intents(func(in *intent) { in.Before.Image = "x" }), false},
		{"a replacement of nothing", intents(func(in *intent) { in.Before = nil }), false},
		{"a replacement by nothing", intents(func(in *intent) { in.After = nil }), false},
		{"a change of no kind", intents(func(in *intent) { in.Op = "chmod" }), false},
		{"a path out of the project", intents(func(in *intent) { in.Real = "../f" }), false},
		{"a directory out of the project", intents(func(in *intent) { in.Dirs = []string{"d", "d/../.."} }), false},
		{"an id that is a path", func(r *record) {
			if r.ID != "" {
				r.ID += "/../x"
			}
			if r.Type == typeIntent {
				r.Tmp = tempName(r.ID)
			}
		}, false},
		{"a conflict copy of another name", ends(func(r *record) { r.Kept = "../HEAD" }), false},
		{"a result that is no hash", ends(func(r *record) { r.Now = "x" }), false},
		{"a prune of everything", ends(func(r *record) { r.Type, r.Drop = typePrune, 1 }), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"f": "old"})
			p.edit("f", "old", "new")
			p.Close()
			p.forge(c.forge)
			p.open(nil)
			if r := p.status(); r.Blocked == c.passes {
				t.Fatalf("status is %+v", r)
			}
			if _, err := p.History(ctx, HistoryArgs{}); err != nil {
				t.Error(err)
			}
			if err := p.AcceptJournal(ctx, "test"); err != nil {
				t.Fatal(err)
			}
			p.create("g", "x")
			if _, err := os.Stat(filepath.Join(p.state, "journal", "HEAD")); err != nil || p.get("f") != "new" {
				t.Errorf("file is %q, %v", p.get("f"), err)
			}
		})
	}
}
