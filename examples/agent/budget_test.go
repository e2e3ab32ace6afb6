package main

import (
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

func TestABudget(t *testing.T) {
	t.Parallel()
	type request struct {
		size   int
		warned bool // by the result
		spent  bool
	}
	for name, tt := range map[string]struct {
		most     int
		requests []request
	}{
		"without a limit there is none":                           {0, []request{{1_000_000, false, false}, {2_000_000, false, false}}},
		"at the limit it warns, and a checkpoint comes after":     {1000, []request{{100, false, false}, {999, false, false}, {1000, true, false}, {1100, false, true}}},
		"what a checkpoint cannot free is no reason for it":       {1000, []request{{900, false, false}, {1100, false, false}, {1150, true, false}, {1160, false, true}}},
		"a beginning over the limit gets a quarter of it as well": {1000, []request{{5000, false, false}, {5249, false, false}, {5250, true, false}, {5300, false, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := budget{most: tt.most}
			for range 2 { // the same again after a checkpoint
				b.begin()
				for i, want := range tt.requests {
					results := []*arc.Result{{}, {}}
					b.grow(want.size, results)
					warned := len(results[1].Notices) == 1 && strings.HasPrefix(results[1].Notices[0], "context_full: ") && results[0].Notices == nil
					if warned != want.warned || b.spent != want.spent {
						t.Errorf("request %d: warned %v, spent %v, want %+v", i+1, warned, b.spent, want)
					}
				}
			}
		})
	}
}
