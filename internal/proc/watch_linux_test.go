package proc

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// Where nothing can be looked up, a watch ends process groups as a whole, and whatever
// forks and exits again and again is ended so wherever it is.
func TestAWatchEndsGroupsAsAWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, command string }{
		{"without grep", "/nowhere", "trap '' TERM; while :; do sleep 0.05; done"},
		{"which fork and exit", os.Getenv("PATH"), "f() { [ $((n += 1)) -lt 100000 ] && f & }; f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, err := Start(Command{Argv: []string{"/bin/bash", "-c", c.command}, Env: os.Environ()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { End(g, 0, nil); <-g.Done() })
			list, err := File(fmt.Sprintf(slotFormat, g.PID(), "-"))
			if err != nil {
				t.Fatal(err)
			}
			defer list.Close()
			// Its lifeline, the null device, has ended already.
			watch, err := Start(Command{
				Argv: []string{"/bin/sh", "-c", watchScript, "arc-watch", "0", ""}, Env: []string{"PATH=" + c.path}, Extra: []*os.File{list},
			})
			if err != nil {
				t.Fatal(err)
			}
			if e := watch.Exit(); e.Signal != "" {
				t.Errorf("the watch ended by %+v", e)
			}
			for end := time.Now().Add(30 * time.Second); g.Living() > 0; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the group lives")
				}
			}
		})
	}
}
