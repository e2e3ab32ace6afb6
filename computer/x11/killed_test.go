//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"go.uber.org/goleak"
)

const childVariable = "ARC_TEST_CHILD"

// TestMain is also the processes that are killed.
func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "drag":
		dragUntilKilled()
		return
	case "display":
		displayUntilKilled()
		return
	}
	goleak.VerifyTestMain(m)
}

// dragUntilKilled holds shift and drags.
func dragUntilKilled() {
	ctx := context.Background()
	d, err := Open(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	pc, err := computer.Open(ctx, d, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			if held, _ := d.Held(ctx); len(held) == 2 {
				fmt.Println("dragging")
				return
			}
		}
	}()
	do := func(a computer.Action) {
		if _, err := pc.Do(ctx, arc.Origin{}, arc.Env{}, computer.Args{Actions: []computer.Action{a}}); err != nil {
			fmt.Println(err)
		}
	}
	do(computer.Action{Action: computer.Screenshot})
	for {
		do(computer.Action{Action: computer.LeftClickDrag, StartCoordinate: []int{10, 10}, Coordinate: []int{600, 400}, Text: "shift"})
	}
}

// What a process holds when it is killed stays down for every program.
func TestAProcessThatIsKilledInADrag(t *testing.T) {
	t.Parallel()
	v := virtual(t, 640, 480)
	d := connect(t, v)
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), append(v.Env(), childVariable+"=drag", "WAYLAND_DISPLAY=", "XDG_SESSION_TYPE=")...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "dragging\n" {
		t.Errorf("the child says %q, %v", line, err)
	}
	c.Process.Kill()
	c.Wait()
	held, err := d.Held(t.Context())
	if err != nil || !slices.Equal(held, []string{"left_button", "shift"}) {
		t.Errorf("after the kill held is %v, %v", held, err)
	}
	pc, err := computer.Open(t.Context(), connect(t, v), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close(context.Background())
	if held, err := d.Held(t.Context()); err != nil || len(held) != 0 {
		t.Errorf("after Open held is %v, %v", held, err)
	}
}

// displayUntilKilled has a display of its own.
func displayUntilKilled() {
	v, err := StartVirtual(context.Background(), 320, 200)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Display)
	fmt.Println(v.Xauthority)
	time.Sleep(10 * guard)
}

// A display that nobody can end any more takes memory until the machine is restarted.
func TestTheDisplayOfAKilledProcessEnds(t *testing.T) {
	t.Parallel()
	virtual(t, 320, 200) // skips
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childVariable+"=display")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var display, cookie string
	if _, err := fmt.Fscan(out, &display, &cookie); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(filepath.Dir(cookie))
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	o := &Options{Display: display, Xauthority: cookie}
	for range 2 { // a client that comes and goes does not end it
		d, err := Open(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c.Process.Kill()
	c.Wait()
	for {
		d, err := Open(ctx, o)
		if ctx.Err() != nil {
			t.Fatalf("%s is still there: %v", display, err)
		}
		if err != nil {
			return
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
