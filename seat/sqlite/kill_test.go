package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
	"github.com/arcseat/arc/seat/sqlite"
)

// In a child process this names the store to work on.
const childPath = "SEAT_TEST_CHILD"

// The number at which a child begins.
const childFirst = "SEAT_TEST_FIRST"

var demo = seat.Ref{RunID: "demo"}

// child works until it is killed, and says what it has been acknowledged.
func child() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	store, err := sqlite.Open(os.Getenv(childPath), nil)
	check(err)
	svc, err := seat.Open(ctx, store, nil)
	check(err)
	_, err = svc.Join(ctx, seat.Spec{Room: "demo"})
	check(err)
	op := seat.Operator{}
	handler := func(ctx context.Context, t *seat.Turn) (string, error) {
		if t.From == seat.FromOperator {
			r, err := t.Seat.Remind(ctx, "c", arc.Reminder{After: time.Second, Note: "n"})
			if err == nil {
				fmt.Println("armed", strings.Split(r.String(), `"`)[3])
			} else if !errors.Is(err, arc.LimitReached) {
				return "", err
			}
		}
		return "r", nil
	}
	first, _ := strconv.Atoi(os.Getenv(childFirst))
	fmt.Println("ready")
	for i := first; ; i++ {
		_, err := svc.Send(ctx, seat.Prompt{Ref: demo, Text: fmt.Sprint("p", i), OriginID: fmt.Sprint("o", i)})
		check(err)
		fmt.Println("sent", i)
		check(svc.Run(ctx, handler, &seat.RunOptions{Idle: true}))
		fmt.Println("ran", i)
		c, err := svc.Context(ctx, op, seat.ContextArgs{Ref: demo})
		check(err)
		last, id := string(c.LastTurnID), fmt.Sprint("q", i)
		switch i % 5 {
		case 0:
			f, _, err := svc.Retry(ctx, op, seat.RetryArgs{Ref: demo, TurnID: last, RequestID: id, DropQueued: true})
			check(err)
			fmt.Println("retry", id, last, f.HistoryRevision)
		case 1:
			e, err := svc.EditReply(ctx, op, seat.EditArgs{Ref: demo, TurnID: last, Content: id, RequestID: id})
			check(err)
			fmt.Println("edit", id, last, e.HistoryRevision)
		case 2:
			e, err := svc.Exclude(ctx, op, seat.ExcludeArgs{Ref: demo, TurnID: last, RequestID: id})
			check(err)
			fmt.Println("exclude", id, last, e.HistoryRevision)
		case 3:
			f, _, err := svc.Rewind(ctx, op, seat.RewindArgs{Ref: demo, TurnID: last, RequestID: id, DropQueued: true})
			check(err)
			fmt.Println("rewind", id, last, f.HistoryRevision)
		}
	}
}

// A process that is killed at any moment has lost nothing that it was told is done,
// and has done nothing twice.
func TestKills(t *testing.T) {
	t.Parallel()
	p := path(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var acked []string
	for n := range *kills {
		c := exec.Command(exe)
		c.Env = append(os.Environ(), childPath+"="+p, childFirst+"="+strconv.Itoa(1+n*10_000))
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// Killed at a moment of some step, however fast the machine is.
		steps := 1 + rand.IntN(30)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if line := lines.Text(); line != "ready" {
				acked = append(acked, line)
			}
			if steps--; steps == 0 {
				time.AfterFunc(time.Duration(rand.IntN(4000))*time.Microsecond, func() { _ = c.Process.Kill() })
			}
		}
		_ = c.Wait() // it was killed
	}
	verify(t, p, acked)
}

func verify(t *testing.T, p string, acked []string) {
	store := open(t, p, nil)
	svc, err := seat.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	number := func(query string, args ...any) int64 { return seattest.Number(t, store, query, args...) }
	op, kinds := seat.Operator{}, map[string]int{}
	for _, line := range acked {
		f := strings.Fields(line)
		kinds[f[0]]++
		if f[0] == "error" {
			t.Error(line)
			continue
		}
		if f[0] == "sent" || f[0] == "ran" || f[0] == "armed" {
			query, want := `SELECT COUNT(*) FROM message WHERE kind = 'prompt' AND body = $1`, int64(1)
			arg := "p" + f[1]
			switch f[0] {
			case "ran":
				query = `SELECT COUNT(*) FROM turn WHERE status <> 'running' AND origin = 'operator' AND prompt = $1`
			case "armed":
				query, arg = `SELECT COUNT(*) FROM wake WHERE id = $1`, f[1]
			}
			if n := number(query, arg); n != want {
				t.Errorf("%s: %d rows", line, n)
			}
			continue
		}
		var revision int64
		replayed := false
		switch f[0] {
		case "retry":
			x, _, err2 := svc.Retry(t.Context(), op, seat.RetryArgs{Ref: demo, TurnID: f[2], RequestID: f[1], DropQueued: true})
			if err = err2; err == nil {
				revision, replayed = x.HistoryRevision, x.Replayed
			}
		case "rewind":
			x, _, err2 := svc.Rewind(t.Context(), op, seat.RewindArgs{Ref: demo, TurnID: f[2], RequestID: f[1], DropQueued: true})
			if err = err2; err == nil {
				revision, replayed = x.HistoryRevision, x.Replayed
			}
		case "edit":
			x, err2 := svc.EditReply(t.Context(), op, seat.EditArgs{Ref: demo, TurnID: f[2], Content: f[1], RequestID: f[1]})
			if err = err2; err == nil {
				revision, replayed = x.HistoryRevision, x.Replayed
			}
		case "exclude":
			x, err2 := svc.Exclude(t.Context(), op, seat.ExcludeArgs{Ref: demo, TurnID: f[2], RequestID: f[1]})
			if err = err2; err == nil {
				revision, replayed = x.HistoryRevision, x.Replayed
			}
		}
		if err != nil || !replayed || fmt.Sprint(revision) != f[3] {
			t.Errorf("%s: sent again it is %d, %v, %v", line, revision, replayed, err)
		}
	}
	if kinds["sent"] == 0 || kinds["ran"] == 0 || kinds["armed"] == 0 {
		t.Errorf("the children did too little: %v", kinds)
	}
	t.Logf("score: kill %d ≥ 15 kills of processes with seats, nothing lost or doubled of %v", *kills, kinds)

	// Whatever was armed and not taken back comes, once.
	time.Sleep(1100 * time.Millisecond)
	err = svc.Run(t.Context(), func(context.Context, *seat.Turn) (string, error) { return "r", nil }, &seat.RunOptions{Idle: true})
	if err != nil {
		t.Fatal(err)
	}
	for what, query := range map[string]string{
		"wakes that never came":       `SELECT COUNT(*) FROM wake WHERE state = 'armed'`,
		"fired wakes without a turn":  `SELECT COUNT(*) FROM wake w WHERE state = 'fired' AND 1 <> (SELECT COUNT(*) FROM queue q JOIN turn t ON t.id = q.turn_id WHERE q.wake_id = w.id AND t.status <> 'running')`,
		"turns that still run":        `SELECT COUNT(*) FROM turn WHERE status = 'running'`,
		"a wrong total":               `SELECT ABS(live_total - (SELECT COUNT(*) FROM turn WHERE live = 1)) + ABS(excluded_total - (SELECT COUNT(*) FROM turn WHERE live = 1 AND excluded = 1)) FROM seat`,
		"replies that were doubled":   `SELECT COUNT(*) FROM (SELECT meta FROM message WHERE kind = 'reply' GROUP BY meta HAVING COUNT(*) > 1)`,
		"pages that are not in order": `SELECT COUNT(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
	} {
		if n := number(query); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
}
