package workspace

import (
	"fmt"
	"testing"
)

// TestALossThatOneRecordCannotHold: after the loss of very many images the journal
// could not be accepted.
func TestALossThatOneRecordCannotHold(t *testing.T) {
	p := newProject(t, map[string]string{"f": "x"})
	before := &version{hashOf([]byte("lost")), 4, 0o644, imageBlob}
	after := &version{Hash: hashOf([]byte("x")), Size: 1, Mode: 0o644}
	const losses = 2*maxLost + 1
	for n := range losses {
		id := fmt.Sprintf("%s%090d_a", changePrefix, n)
		for _, r := range []*record{
			{Type: typeIntent, ID: id, intent: &intent{Op: Replace, Path: "f", Real: "f", Before: before, After: after, Tmp: tempName(id)}},
			{Type: typeCommit, ID: id, Now: after.Hash},
		} {
			if err := p.journal.append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.open(nil)
	if r := p.status(); !r.Blocked {
		t.Fatalf("status is %+v", r)
	}
	if err := p.AcceptJournal(ctx, "a disk was lost"); err != nil {
		t.Fatal(err)
	}
	p.open(nil)
	if r := p.status(); r.Blocked || len(p.journal.lost) != losses {
		t.Errorf("%d are lost, status %+v", len(p.journal.lost), r)
	}
	p.edit("f", "x", "y")
}
