package workspace

import (
	"os"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

// TestAJournalThatIsGone: a change is not refused as if its own file were
// missing, and reading goes on.
func TestAJournalThatIsGone(t *testing.T) {
	p := newProject(t, map[string]string{"f": "x"})
	if err := os.RemoveAll(p.state); err != nil {
		t.Skip(err)
	}
	_, err := p.Write(ctx, by, WriteArgs{Path: "g", Content: "x"})
	for _, err := range []error{err, func() error { _, err := p.RecoveryStatus(ctx); return err }()} {
		if e := wantCode(t, err, arc.IOError); !strings.Contains(e.Message, "journal") || strings.Contains(e.Message, "list") {
			t.Errorf("message is %q", e.Message)
		}
	}
	if p.exists("g") {
		t.Error("the file was made")
	}
	if _, err := p.Read(ctx, ReadArgs{Path: "f"}); err != nil {
		t.Error(err)
	}
}
