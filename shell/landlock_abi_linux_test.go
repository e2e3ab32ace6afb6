package shell

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// What a version lacks is said, and nothing is asked of it that it does not know.
func TestEachVersionOfLandlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		abi     int
		lacks   int // of those that a younger version has not
		fs      uint64
		network bool
		scope   bool
	}{
		{1, 5, 0x1fff, false, false},
		{2, 4, 0x3fff, false, false},
		{3, 3, 0x7fff, false, false},
		{4, 2, 0x7fff, true, false},
		{5, 1, 0xffff, true, false},
		{6, 0, 0xffff, true, true},
		{7, 0, 0xffff, true, true},
		{99, 0, 0xffff, true, true},
	} {
		t.Run(fmt.Sprintf("version %d", c.abi), func(t *testing.T) {
			t.Parallel()
			a := landlockAttr(c.abi, false)
			if a.Handled_access_fs != c.fs || (a.Handled_access_net != 0) != c.network || (a.Scoped != 0) != c.scope {
				t.Errorf("it is asked for %+v", a)
			}
			if b := landlockAttr(c.abi, true); b.Handled_access_net != 0 {
				t.Errorf("with a network it is asked for %+v", b)
			}
			lacks := landlockLacks(c.abi, LandlockOptions{Read: []string{"/usr"}})
			if len(lacks) != c.lacks+len(landlockNever) {
				t.Errorf("it lacks %q", lacks)
			}
			if slices.Contains(lacks, "TCP is open") == c.network {
				t.Errorf("it lacks %q", lacks)
			}
			if abi, err := landlockABI(); err != nil || abi < c.abi && c.abi < 99 {
				t.Skipf("the kernel has version %d, %v", abi, err)
			}
			rules, err := landlockRuleset(a)
			if err != nil {
				t.Fatal(err)
			}
			defer rules.Close()
			for _, path := range []string{t.TempDir(), "/dev/null"} {
				if err := landlockAllow(rules, path, a.Handled_access_fs); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			if err := landlockAllow(rules, "/no/such/path", unix.LANDLOCK_ACCESS_FS_READ_FILE); err == nil {
				t.Error("what is not there was allowed")
			}
		})
	}
	t.Run("with a network TCP is open", func(t *testing.T) {
		t.Parallel()
		if lacks := landlockLacks(7, LandlockOptions{Network: true}); !slices.Contains(lacks, "TCP is open") {
			t.Errorf("it lacks %q", lacks)
		}
	})
}
