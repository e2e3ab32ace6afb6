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
// took: on a busy machine the average is that of its neighbours.
func measured(b *testing.B, op func()) {
	begin, shortest := cpu(), time.Hour
	for b.Loop() {
		at := time.Now()
		op()
		shortest = min(shortest, time.Since(at))
	}
	b.ReportMetric(float64(shortest.Microseconds())/1000, "min-ms/op")
	b.ReportMetric(float64((cpu()-begin).Microseconds())/float64(b.N)/1000, "cpu-ms/op")
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

// BenchmarkClickAndScreenshot clicks and makes the picture that a model gets, in
// base64, beside the recipe of xdotool, scrot and convert, without any waiting for
// the screen on either side. The last one waits until the screen is still.
func BenchmarkClickAndScreenshot(b *testing.B) {
	for _, size := range sizes {
		v := virtual(b, size.X, size.Y)
		w := start(b, v)
		w.Paint()
		where := [2]image.Point{{X: 100, Y: 100}, {X: 300, Y: 200}} // alternating: xdotool hangs on a move to where the pointer is
		for _, first := range []time.Duration{-1, 0} {
			name := "ours"
			if first == 0 {
				name = "ours, settled"
			}
			b.Run(fmt.Sprintf("%dx%d/%s", size.X, size.Y, name), func(b *testing.B) {
				d, err := v.Open(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				pc, err := computer.Open(b.Context(), d, &computer.Options{FirstChange: first, ActionsPerSecond: 10_000})
				if err != nil {
					b.Fatal(err)
				}
				defer pc.Close(context.Background())
				i := 0
				do := func(a computer.Action) {
					r, err := pc.Do(b.Context(), arc.Origin{}, arc.Env{}, computer.Args{Actions: []computer.Action{a}})
					if err != nil {
						b.Fatal(err)
					}
					_ = base64.StdEncoding.EncodeToString(r.Image.Data)
				}
				do(computer.Action{Action: computer.Screenshot})
				measured(b, func() {
					i++
					do(computer.Action{Action: computer.LeftClick, Coordinate: []int{where[i%2].X, where[i%2].Y}})
				})
			})
		}
		b.Run(fmt.Sprintf("%dx%d/xdotool+scrot+convert", size.X, size.Y), func(b *testing.B) {
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
			measured(b, func() {
				i++
				at := where[i%2]
				run("xdotool", "mousemove", "--sync", fmt.Sprint(at.X), fmt.Sprint(at.Y), "click", "1")
				run("scrot", "-p", "-o", file)
				run("convert", file, "-resize", "1280x800>", file)
				data, err := os.ReadFile(file)
				if err != nil {
					b.Fatal(err)
				}
				_ = base64.StdEncoding.EncodeToString(data)
			})
		})
	}
}
