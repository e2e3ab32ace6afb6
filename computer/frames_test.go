package computer_test

import (
	"errors"
	"image"
	"slices"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/computertest"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(2560, 1600), atOnce, func(t *testing.T, d desk) {
		r, err := d.do(click(10, 10))
		if !errors.Is(err, computer.NoFrame) || r == nil || r.Image == nil || r.Executed != 0 {
			t.Fatalf("a click before any picture: %+v, %v", r, err)
		}
		d.sent()
		if want := (computer.FrameInfo{ID: 1, Kind: "screenshot", Width: 1280, Height: 800}); *r.Frame != want {
			t.Errorf("its frame is %+v, want %+v", *r.Frame, want)
		}
		d.must(click(10, 10)) // in the picture that came with the refusal
		d.sent("move 21,21", "left down", "left up")

		r = d.must(computer.Action{Action: computer.Zoom, Region: []int{600, 400, 680, 450}})
		if r.Frame.Kind != "zoom" || r.Screen != image.Rect(1200, 800, 1360, 900) || r.Frame.Width != 1280 || r.Frame.Height != 800 {
			t.Errorf("the zoom is %+v of %v", *r.Frame, r.Screen)
		}
		r = d.must(computer.Action{Action: computer.CursorPosition})
		if r.Image != nil || r.Cursor == nil || r.Cursor.Inside {
			t.Errorf("the pointer is %+v, outside of the zoom", r.Cursor)
		}
		r = d.must(computer.Action{Action: computer.Zoom, Region: []int{0, 0, 640, 400}}) // nested
		if r.Screen != image.Rect(1200, 800, 1280, 850) {
			t.Errorf("the second zoom is of %v", r.Screen)
		}
		d.must(click(324, 204))
		d.sent("move 1240,825", "left down", "left up")

		// The click's own screenshot is the frame again.
		d.must(click(1, 1))
		d.sent("move 3,3", "left down", "left up")
	})
}

func TestTheScreenChangesItsSize(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(1200, 800), atOnce, func(t *testing.T, d desk) {
		d.must(shot)
		d.fake.Resize(800, 600)
		r, err := d.do(click(700, 500))
		if !errors.Is(err, computer.StaleFrame) || r == nil || r.Image == nil || r.Frame.Width != 800 || r.Executed != 0 {
			t.Fatalf("a click in the old picture: %+v, %v", r, err)
		}
		d.sent()
		d.must(click(700, 500))
		d.sent("move 700,500", "left down", "left up")

		d.fake.Resize(400, 300)
		d.must(computer.Action{Action: computer.PressKey, Text: "Return"}) // needs no frame
		d.sent("Return down", "Return up")
	})
}

// A second monitor on the left has negative coordinates.
func TestAScreenThatDoesNotBeginAtZero(t *testing.T) {
	t.Parallel()
	on(t, computertest.NewAt(image.Rect(-640, -100, 640, 700)), atOnce, func(t *testing.T, d desk) {
		d.must(shot)
		r := d.must(click(0, 0))
		d.sent("move -640,-100", "left down", "left up")
		if r.Cursor.X != 0 || r.Cursor.Y != 0 || !r.Cursor.Inside {
			t.Errorf("the pointer is %+v", r.Cursor)
		}
	})
}

func TestEachSeatHasItsOwnFrame(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(1000, 600), atOnce, func(t *testing.T, d desk) {
		d.must(shot)
		d.must(computer.Action{Action: computer.Zoom, Region: []int{500, 300, 600, 360}})
		other := arc.Origin{Seat: "other"}
		if _, err := d.Do(t.Context(), other, env, computer.Args{Actions: []computer.Action{click(5, 5)}}); !errors.Is(err, computer.NoFrame) {
			t.Errorf("another seat clicks in our picture: %v", err)
		}
		if _, err := d.Do(t.Context(), other, env, computer.Args{Actions: []computer.Action{click(5, 5)}}); err != nil {
			t.Error(err)
		}
		d.sent("move 5,5", "left down", "left up")
		d.must(click(0, 0))
		d.sent("move 500,300", "left down", "left up")
	})
}

// A picture that is shrunk, a grid, and pixels must not be mixed up.
func TestAGridIsScaledOnce(t *testing.T) {
	t.Parallel()
	on(t, computertest.New(3840, 2160), atOnce, func(t *testing.T, d desk) {
		grid := env
		grid.Model.Grid = true
		in := func(e arc.Env, a ...computer.Action) *computer.Result {
			t.Helper()
			r, err := d.Do(t.Context(), me, e, computer.Args{Actions: a})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		in(grid, shot)
		r := in(grid, click(500, 500))
		d.sent("move 1921,1081", "left down", "left up")
		if r.Cursor.X != 500 || r.Cursor.Y != 500 {
			t.Errorf("the pointer is %+v", r.Cursor)
		}
		r = in(grid, click(1000, 0))
		d.sent("move 3838,1", "left down", "left up")
		if !slices.Equal(r.Notes, []string{"1000_is_999"}) {
			t.Errorf("notes are %v", r.Notes)
		}
		in(grid, computer.Action{Action: computer.Zoom, Region: []int{500, 500, 600, 600}})
		in(grid, click(0, 0)) // the zoom is a grid as well
		d.sent("move 1920,1080", "left down", "left up")
		in(env, shot)
		in(env, click(640, 360))
		d.sent("move 1921,1081", "left down", "left up")
		if _, err := d.Do(t.Context(), me, grid, computer.Args{Actions: []computer.Action{click(1280, 5)}}); !errors.Is(err, arc.OutOfRange) {
			t.Errorf("a pixel of the picture, on the grid: %v", err)
		}
	})
}

// A picture that was shrunk, to whatever size, is clicked where it shows the target,
// and so is a zoom into it.
func TestEverySizeOfScreenAndPicture(t *testing.T) {
	t.Parallel()
	for _, native := range []image.Point{{X: 400, Y: 300}, {X: 683, Y: 384}, {X: 300, Y: 480}, {X: 500, Y: 125}} {
		for _, edge := range []int{0, 256, 190, 75} {
			for _, grid := range []bool{false, true} {
				on(t, computertest.New(native.X, native.Y), &computer.Options{FirstChange: -1, HidePointer: true}, func(t *testing.T, d desk) {
					e := env
					e.Model.MaxEdge, e.Model.Grid = edge, grid
					in := func(a computer.Action) *computer.Result {
						t.Helper()
						r, err := d.Do(t.Context(), me, e, computer.Args{Actions: []computer.Action{a}})
						if err != nil {
							t.Fatalf("%v, %d, %v: %v", native, edge, grid, err)
						}
						return r
					}
					size := func(r *computer.Result) image.Point {
						if grid {
							return image.Pt(1000, 1000)
						}
						return image.Pt(r.Frame.Width, r.Frame.Height)
					}
					for zooms := range 3 {
						r := in(shot)
						for range zooms {
							n := size(r)
							r = in(computer.Action{Action: computer.Zoom, Region: []int{n.X / 2, n.Y / 4, n.X * 9 / 10, n.Y * 3 / 4}})
						}
						n := size(r)
						p := image.Pt(n.X*7/10, n.Y*3/10)
						in(computer.Action{Action: computer.MouseMove, Coordinate: []int{p.X, p.Y}})
						got, err := d.fake.Pointer(t.Context())
						want := r.Screen.Min.Add(image.Pt(
							int((float64(p.X)+0.5)*float64(r.Screen.Dx())/float64(n.X)),
							int((float64(p.Y)+0.5)*float64(r.Screen.Dy())/float64(n.Y))))
						if err != nil || got != want {
							t.Errorf("%v, %d, %v, %d zooms: %v of %v is %v, %v; want %v", native, edge, grid, zooms, p, n, got, err, want)
						}
					}
				})
			}
		}
	}
}
