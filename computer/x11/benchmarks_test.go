//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
)

var sizes = []image.Point{{X: 1280, Y: 800}, {X: 1920, Y: 1080}, {X: 3840, Y: 2160}}

// cpu is what this process and the children that it has waited for have used.
func cpu() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}

// measured runs op and reports the CPU time of one, and the shortest time that one
// took, which it returns: on a busy machine the average is that of its neighbours.
func measured(b *testing.B, op func()) time.Duration {
	begin, shortest := cpu(), time.Hour
	for b.Loop() {
		at := time.Now()
		op()
		shortest = min(shortest, time.Since(at))
	}
	b.ReportMetric(float64(shortest.Microseconds())/1000, "min-ms/op")
	b.ReportMetric(float64((cpu()-begin).Microseconds())/float64(b.N)/1000, "cpu-ms/op")
	return shortest
}

// BenchmarkCapture takes a picture of the whole screen, looks at it where it lies or
// keeps it, and copies one in memory.
func BenchmarkCapture(b *testing.B) {
	for _, size := range sizes {
		v := virtual(b, size.X, size.Y)
		d := connect(b, v)
		start(b, v)
		r := image.Rectangle{Max: size}
		var f computer.Frame
		b.Run(fmt.Sprintf("%dx%d/capture", size.X, size.Y), func(b *testing.B) {
			measured(b, func() {
				if err := d.Capture(b.Context(), r, &f); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(fmt.Sprintf("%dx%d/view", size.X, size.Y), func(b *testing.B) {
			measured(b, func() {
				if err := d.View(b.Context(), r, func(*computer.Frame) {}); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(fmt.Sprintf("%dx%d/memcpy", size.X, size.Y), func(b *testing.B) {
			from, to := make([]byte, 4*size.X*size.Y), make([]byte, 4*size.X*size.Y)
			measured(b, func() { copy(to, from) })
		})
	}
}

// BenchmarkActionAndScreenshot moves the pointer, or clicks, and makes the picture
// that a model gets, in base64, beside the recipe of xdotool, scrot and convert,
// without any waiting for the screen on either side. A click of ours has a hand's
// pauses, a move has none. The settled ones wait until the screen is still.
func BenchmarkActionAndScreenshot(b *testing.B) {
	for _, size := range sizes {
		v := virtual(b, size.X, size.Y)
		w := start(b, v)
		w.Paint()
		for _, act := range []computer.Kind{computer.MouseMove, computer.LeftClick} {
			name := fmt.Sprintf("%dx%d/%s/", size.X, size.Y, act)
			var ours, theirs time.Duration
			b.Run(name+"ours", func(b *testing.B) { ours = actAndLook(b, v, act, -1) })
			b.Run(name+"recipe", func(b *testing.B) { theirs = recipe(b, v, act) })
			if act == computer.MouseMove && ours*theirs > 0 { // a click has a hand's pauses
				b.Logf("score: latency %.1f ≥ 10 times as fast as the recipe, a move and its picture at %dx%d", float64(theirs)/float64(ours), size.X, size.Y)
			}
			b.Run(name+"ours, settled", func(b *testing.B) { actAndLook(b, v, act, 0) })
		}
	}
}

// there alternates, since xdotool hangs on a move to where the pointer is.
func there(i int) image.Point { return []image.Point{{X: 100, Y: 100}, {X: 300, Y: 200}}[i%2] }

func actAndLook(b *testing.B, v *Virtual, act computer.Kind, first time.Duration) time.Duration {
	d, err := v.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	pc, err := computer.Open(b.Context(), d, &computer.Options{FirstChange: first, ActionsPerSecond: 10_000})
	if err != nil {
		b.Fatal(err)
	}
	defer pc.Close(context.Background())
	do := func(a computer.Action) {
		r, err := pc.Do(b.Context(), arc.Origin{}, arc.Env{}, computer.Args{Actions: []computer.Action{a}})
		if err != nil {
			b.Fatal(err)
		}
		_ = base64.StdEncoding.EncodeToString(r.Image.Data)
	}
	do(computer.Action{Action: computer.Screenshot})
	i := 0
	return measured(b, func() {
		i++
		at := there(i)
		do(computer.Action{Action: act, Coordinate: []int{at.X, at.Y}})
	})
}

func recipe(b *testing.B, v *Virtual, act computer.Kind) time.Duration {
	for _, name := range []string{"xdotool", "scrot", "convert"} {
		if _, err := exec.LookPath(name); err != nil {
			b.Skipf("%s is not installed", name)
		}
	}
	file := filepath.Join(b.TempDir(), "shot.png")
	run := func(name string, args ...string) {
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), v.Env()...)
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", name, err, out)
		}
	}
	i := 0
	return measured(b, func() {
		i++
		at := there(i)
		do := []string{"mousemove", "--sync", fmt.Sprint(at.X), fmt.Sprint(at.Y)}
		if act == computer.LeftClick {
			do = append(do, "click", "1")
		}
		run("xdotool", do...)
		run("scrot", "-p", "-o", file)
		run("convert", file, "-resize", "1280x800>", file)
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		_ = base64.StdEncoding.EncodeToString(data)
	})
}
