package sqlite_test

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/seattest"
)

// A scan of a table that grows with the history, or with the seats that do nothing.
var scan = regexp.MustCompile(`^SCAN (seat|s|room|run|turn|t|message|m|wake|w|queue|q|step|notes|n|notice|idem|plan|p|outbox)( |$)`)

// What may walk a table: queries that are asked when a run ends or opens again, not at
// every turn, the list of all seats, and those that look for work among all seats,
// through an index of what waits.
var rare = []string{"FROM run r", "JOIN run r", "ORDER BY s.id"}

// Every query of the service finds what it wants by an index: none grows with the
// history.
func TestNoQueryWalksTheHistory(t *testing.T) {
	t.Parallel()
	db := open(t, path(t), nil)
	var mu sync.Mutex
	var queries []string
	rebind := db.Dialect.Rebind
	db.Dialect.Rebind = func(q string) string {
		mu.Lock()
		defer mu.Unlock()
		queries = append(queries, q)
		return rebind(q)
	}
	seattest.Everything(t, db)
	if len(queries) < 60 {
		t.Errorf("only %d queries were asked", len(queries))
	}
	err := db.View(t.Context(), func(tx *seat.Tx) error {
		mu.Lock()
		slices.Sort(queries)
		asked := slices.Compact(slices.Clone(queries))
		mu.Unlock()
		for _, q := range asked {
			if !strings.HasPrefix(q, "SELECT") && !strings.HasPrefix(q, "UPDATE") && !strings.HasPrefix(q, "DELETE") ||
				slices.ContainsFunc(rare, func(s string) bool { return strings.Contains(q, s) }) {
				continue
			}
			args := make([]any, 0, 20)
			for i := 1; strings.Contains(q, "$"+string(rune('0'+i))) && i < 10; i++ {
				args = append(args, "x")
			}
			if strings.Contains(q, "$10") {
				continue // inserts alone have as many
			}
			rows, err := tx.Query("EXPLAIN QUERY PLAN "+q, args...)
			if err != nil {
				return err
			}
			for rows.Next() {
				var id, parent, unused int
				var line string
				if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
					return err
				}
				if strings.Contains(line, "AUTOMATIC") {
					t.Errorf("an index is made for one question: %s\n%s", line, q)
				}
				if scan.MatchString(line) && !strings.Contains(line, "INDEX queue_waiting") && !strings.Contains(line, "INDEX queue_wake") && !strings.Contains(line, "INDEX wake_due") &&
					!strings.Contains(line, "INDEX wake_target") && !strings.Contains(line, "INDEX step_jobs") && !strings.Contains(line, "INDEX outbox_room") {
					t.Errorf("%s\n%s", line, q)
				}
			}
			if err := rows.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
