package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
)

// TestAReportOfVeryMuchFitsAResult: forty entries of long paths were more than a
// result's header holds, so that the model got none of them.
func TestAReportOfVeryMuchFitsAResult(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	long := strings.Repeat(strings.Repeat("\x01", 200)+"/", 15)
	for n := range 45 {
		p.create(fmt.Sprintf("%s%d", long, n), "new")
	}
	p.Close()
	// Their process died before it marked them so, and the files of some were changed
	// since.
	p.forge(func(r *record) {
		if r.Type == typeCommit {
			r.Type = ""
		}
	})
	for n := range 22 {
		p.put(fmt.Sprintf("%s%d", long, n), "theirs")
	}
	p.open(nil)
	r := p.status()
	if len(r.Ambiguous) != 20 || len(r.Recovered) != 20 || r.LeftOut != 5 || !r.Truncated {
		t.Errorf("%d are ambiguous, %d recovered, %d left out, %v", len(r.Ambiguous), len(r.Recovered), r.LeftOut, r.Truncated)
	}
	s := p.session()
	got := s.Call(ctx, arc.Call{Name: "workspace_recovery_status"})
	if got.Err != nil || len(got.String()) > tools.MaxHeader {
		t.Fatalf("%d bytes, %v", len(got.String()), got.Err)
	}
	r = got.Data.(*RecoveryResult)
	if n := len(r.Ambiguous) + len(r.Recovered); n < 8 || n+r.LeftOut != 45 || !r.Blocked {
		t.Errorf("%d entries, %d left out", n, r.LeftOut)
	}
}
