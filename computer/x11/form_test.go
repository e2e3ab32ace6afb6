//go:build (linux && (386 || amd64 || arm || arm64 || riscv64)) || freebsd || netbsd || openbsd

package x11

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/tools"
)

// A form is filled in the way a model does it: look, zoom, click in the zoomed
// picture, type, look again.
func TestAFormOnTwoSizesOfScreen(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1280, 800}, {2560, 1440}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			pc, w, v := operated(t, size[0], size[1])
			env := arc.Env{Access: arc.FullAccess, Model: arc.Model{Vision: true}}
			var err error
			if env.Desktop, err = pc.Desktop(t.Context(), env.Model); err != nil {
				t.Fatal(err)
			}
			set, err := tools.NewSet([]arc.Provider{pc}, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := set.Session(arc.Turn{Env: env, Origin: arc.Origin{Seat: "seat"}})
			call := func(format string, args ...any) (*arc.Result, *computer.Result) {
				t.Helper()
				r := s.Call(t.Context(), arc.Call{Name: "computer", Args: fmt.Appendf(nil, format, args...)})
				data, _ := r.Data.(*computer.Result)
				return r, data
			}
			r, shot := call(`{"actions":[{"action":"screenshot"}]}`)
			if r.Err != nil || shot.Frame.Width != env.Desktop.Width || shot.Frame.Height != env.Desktop.Height {
				t.Fatalf("the screenshot is %s, and %+v was told", r, env.Desktop)
			}
			x, y := shot.Frame.Width/4, shot.Frame.Height/4
			r, zoom := call(`{"actions":[{"action":"zoom","region":[%d,%d,%d,%d]}]}`, x, y, x+64, y+40)
			if r.Err != nil || len(r.Images) != 1 {
				t.Fatalf("the zoom is %s", r)
			}
			if r, _ = call(`{"actions":[{"action":"left_click","coordinate":[%d,%d]}]}`, zoom.Frame.Width/2, zoom.Frame.Height/2); r.Err != nil {
				t.Fatal(r)
			}
			middle := zoom.Screen.Min.Add(zoom.Screen.Size().Div(2))
			w.Saw(fmt.Sprintf("press 1 at %d,%d state 0", middle.X, middle.Y), fmt.Sprintf("release 1 at %d,%d", middle.X, middle.Y))
			const text = "Zoë, 12 € 漢"
			if r, _ = call(`{"actions":[{"action":"type","text":%q}]}`, text); r.Err != nil {
				t.Fatal(r)
			}
			if got := w.Text(text); got != text {
				t.Errorf("typed %q and %q arrived", text, got)
			}
			w.Forget()
			if r, _ = call(`{"actions":[{"action":"key","text":"Tab"},{"action":"key","text":"Return"}]}`); !errors.Is(r.Err, arc.InvalidArguments) {
				t.Errorf("two actions at once: %s", r)
			}
			shrink(t, connect(t, v), uint16(size[0]/2), uint16(size[1]/2))
			r, stale := call(`{"actions":[{"action":"left_click","coordinate":[10,10]}]}`)
			if !errors.Is(r.Err, computer.StaleFrame) || len(r.Images) != 1 || stale.Screen.Dx() != size[0]/2 {
				t.Errorf("a click in the old picture: %s", r)
			}
			w.Saw()
		})
	}
}

// Wherever a call is canceled, nothing stays down on the server.
func TestACancelAtAnyTimeLeavesNothingDown(t *testing.T) {
	t.Parallel()
	pc, _, v := operated(t, 320, 200)
	d := connect(t, v)
	before := symbols(t, d)
	env := arc.Env{Model: arc.Model{Actions: 10}}
	var args computer.Args
	if err := json.Unmarshal([]byte(`{"actions":[
		{"action":"left_click_drag","start_coordinate":[10,10],"coordinate":[200,100],"text":"shift+ctrl"},
		{"action":"type","text":"A漢{"},
		{"action":"triple_click","text":"alt"},
		{"action":"key","text":"ctrl+漢 super+a"},
		{"action":"left_mouse_down"},
		{"action":"hold_key","text":"shift+F5","duration":5}]}`), &args); err != nil {
		t.Fatal(err)
	}
	do(t, pc, computer.Action{Action: computer.Screenshot})
	for after := time.Duration(1); after < 1600; after += 97 {
		ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
		_, err := pc.Do(ctx, arc.Origin{Seat: "me"}, env, args)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %d ms: %v", after, err)
		}
		if held, err := d.Held(t.Context()); err != nil || len(held) != 0 {
			t.Errorf("after %d ms held is %v, %v", after, held, err)
		}
		if !slices.Equal(before, symbols(t, d)) {
			t.Errorf("after %d ms the mapping is another one", after)
		}
	}
}
