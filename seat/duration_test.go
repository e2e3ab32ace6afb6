package seat

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/arcseat/arc"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   any
		want time.Duration
	}{
		{json.Number("90"), 90 * time.Second},
		{json.Number("1.5"), 1500 * time.Millisecond},
		{json.Number("0.2"), time.Second},
		{json.Number("1e2"), 100 * time.Second},
		{"90", 90 * time.Second},
		{" 90 ", 90 * time.Second},
		{"1h30m", 90 * time.Minute},
		{"1H 30M", 90 * time.Minute},
		{"2 d 4 h", 52 * time.Hour},
		{"1500ms", 1500 * time.Millisecond},
		{"1.0001s", 1001 * time.Millisecond}, // rounded up
		{"20ms", time.Second},
		{"366d", MaxAfter},
		{2.5, 2500 * time.Millisecond},
	} {
		got, err := parseDuration("after", c.in)
		if err != nil || got != c.want {
			t.Errorf("%v: got %v, %v, want %v", c.in, got, err, c.want)
		}
	}
	for _, in := range []any{
		"", " ", "0", "-1", "-5m", json.Number("0"), json.Number("-3"), "NaN", "Inf", "+Inf", math.NaN(), math.Inf(1),
		"5 parsecs", "1h30", "h", "1h-30m", "366d1s", "1e300", "0x10", "1_000", true, nil, []any{"1s"},
	} {
		if got, err := parseDuration("after", in); !errors.Is(err, arc.InvalidArguments) {
			t.Errorf("%v: got %v, %v", in, got, err)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"1h30m", "90", "0.5s", "-1", "9999999999999999999999h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := parseDuration("after", s)
		if err == nil && (d < time.Second || d > MaxAfter) {
			t.Errorf("%q is %v", s, d)
		}
	})
}

func TestCanonicalArguments(t *testing.T) {
	t.Parallel()
	one := canonical(RetryArgs{TurnID: "t", DryRun: true, ExpectedRevision: new(int64(4)), RequestID: "a", Ref: Ref{RunID: "r"}})
	two := canonical(RetryArgs{TurnID: "t", ExpectedRevision: new(int64(5)), RequestID: "a", Ref: Ref{RunID: "r", AgentID: "x"}})
	if one != two || one != `{"turn_id":"t"}` {
		t.Errorf("got %s and %s", one, two)
	}
	if other := canonical(RetryArgs{TurnID: "t", Message: new("x")}); other == one {
		t.Error("another prompt is the same write")
	}
}
