//go:build linux

package shell_test

import (
	"context"
	"errors"
	"flag"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
	"go.uber.org/goleak"
)

// TestMain lets more tests run at once than there are processors: they wait, mostly.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil { // before what the caller says
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// guard is how long a test waits for what should come soon.
const guard = 30 * time.Second

var me = arc.Origin{Run: "run", Seat: "me", Turn: "turn_1", Call: "call_1"}

// open opens a shell over an empty project that ends with the test.
func open(t testing.TB, o *shell.Options) *shell.Shell {
	t.Helper()
	return openIn(t, t.TempDir(), o)
}

// openIn opens a shell over a project that ends with the test.
func openIn(t testing.TB, dir string, o *shell.Options) *shell.Shell {
	t.Helper()
	if o == nil {
		o = &shell.Options{}
	}
	if o.State == "" {
		o.State = t.TempDir()
	}
	sh, err := shell.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		defer cancel()
		if err := sh.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return sh
}

func run(t testing.TB, sh *shell.Shell, a shell.ExecArgs) *shell.ExecResult {
	t.Helper()
	res, err := sh.Exec(t.Context(), me, a)
	if err != nil {
		t.Fatalf("%s: %v", a.Command, err)
	}
	return res
}

// background starts a command that becomes a job at once.
func background(t testing.TB, sh *shell.Shell, command string) *shell.ExecResult {
	t.Helper()
	res := run(t, sh, shell.ExecArgs{Command: command, BlockBudgetSec: new(0.02)})
	if res.JobID == "" {
		t.Fatalf("%s is no job: %+v", command, res)
	}
	return res
}

// ended waits until a job has ended.
func ended(t testing.TB, sh *shell.Shell, job string) string {
	t.Helper()
	var status string
	await(t, "the end of "+job, func() bool {
		s, done, err := sh.JobStatus(t.Context(), me.Seat, job)
		if err != nil {
			t.Fatal(err)
		}
		status = s
		return done
	})
	return status
}

func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(guard); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain for " + what)
		}
	}
}

func wantCode(t testing.TB, err error, code arc.Code) *arc.Error {
	t.Helper()
	var e *arc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error is %v, want %s", err, code)
	}
	return e
}

// told collects notices.
type told struct {
	mu   sync.Mutex
	list []shell.Notice
}

func (n *told) add(x shell.Notice) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, x)
	return nil
}

func (n *told) all() []shell.Notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]shell.Notice(nil), n.list...)
}

// whole pages through a spool and joins the pages.
func whole(t testing.TB, sh *shell.Shell, id string, size *int) string {
	t.Helper()
	var out strings.Builder
	for offset := int64(0); ; {
		p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: id, Offset: offset, MaxBytes: size})
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(p.Output)
		offset += p.Bytes
		if p.EOF {
			return out.String()
		}
		if p.Bytes == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func code(r *shell.ExecResult) int {
	if r.ExitCode == nil {
		return -1
	}
	return *r.ExitCode
}
