package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWhatADeadProcessHadBegunGoes: a file of the journal is written under another name
// first, and who wrote it may have been killed.
func TestWhatADeadProcessHadBegunGoes(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	p.busy()
	for _, c := range []struct {
		name string
		goes bool
	}{
		{"seg-000001.jsonl.tmp", true},
		{"kept/change_2_abcd.tmp", true},
		{"kept/refused-20260102T030405.000-seg-000001.jsonl.tmp", true},
		{"kept/a person's.tmp", false},
		{"another.tmp", false},
	} {
		path := filepath.Join(p.state, "journal", filepath.FromSlash(c.name))
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.open(nil)
		if _, err := os.Lstat(path); os.IsNotExist(err) != c.goes {
			t.Errorf("%s: %v, should go: %v", c.name, err, c.goes)
		}
	}
	if s := p.status(); s.Blocked {
		t.Errorf("the status is %+v", s)
	}
}
