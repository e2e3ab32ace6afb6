package computer

import (
	"encoding/json"
	"image"
	"math"
	"time"

	"github.com/arcseat/arc"
)

// A Result is what a call came to. Its JSON is the line that a model reads; the
// fields without are for the host.
type Result struct {
	Executed int        `json:"executed"`               // actions that were done
	Skipped  int        `json:"skipped,omitempty"`      // after a zoom or a failure
	Failed   *int       `json:"failed_index,omitempty"` // the action that failed
	Frame    *FrameInfo `json:"frame,omitempty"`        // of the attached picture, or of the latest one
	Cursor   *CursorAt  `json:"cursor,omitempty"`       // the pointer, as the frame's coordinates tell it
	Changed  *Changed   `json:"changed,omitempty"`      // what the call changed on the screen; nil: not known
	Restless bool       `json:"restless,omitempty"`     // the screen was still changing when the picture was taken
	Held     []string   `json:"held,omitempty"`         // what is down now
	Limit    float64    `json:"limit,omitempty"`        // the limit in force, if a larger number was asked for
	Notes    []string   `json:"notes,omitempty"`        // what else there is to know: short codes

	Image        *arc.Image      `json:"-"` // nil: none
	Screen       image.Rectangle `json:"-"` // what the image shows, native pixels
	Done         []Done          `json:"-"` // the actions, in order
	Settling     Settling        `json:"-"` // after the last of them
	NativeChange Change          `json:"-"` // Changed in native pixels
}

// A FrameInfo says what coordinates mean from now on.
type FrameInfo struct {
	ID     int    `json:"id"`     // counts the pictures that the Computer has given out
	Kind   string `json:"kind"`   // screenshot or zoom
	Width  int    `json:"width"`  // of the picture: x is below it
	Height int    `json:"height"` // y is below it
}

// A CursorAt is where the pointer is in a frame, which it may be outside of.
type CursorAt struct {
	X, Y   int  // in the frame's coordinates
	Inside bool // of the frame
}

// MarshalJSON is [x, y] for a pointer that is inside, and an object for one that
// is not.
func (c CursorAt) MarshalJSON() ([]byte, error) {
	if c.Inside {
		return json.Marshal([2]int{c.X, c.Y})
	}
	return json.Marshal(struct {
		Inside bool   `json:"inside"`
		At     [2]int `json:"at"`
	}{false, [2]int{c.X, c.Y}})
}

// Changed is a Change in the coordinates of the attached picture.
type Changed struct {
	Percent float64 `json:"percent"`          // of the screen, two digits, more than 0 if anything has
	Region  *[4]int `json:"region,omitempty"` // x0, y0, x1, y1
}

// Done is one action that was done.
type Done struct {
	Action Kind          // which it was
	At     *image.Point  // native pixels; nil: it has no place
	Took   time.Duration // until it was done, without the settling
}

func (s *shown) info() *FrameInfo {
	return &FrameInfo{ID: s.number, Kind: s.kind, Width: s.image.X, Height: s.image.Y}
}

// cursor is p in v's coordinates.
func (v view) cursor(p image.Point) *CursorAt {
	at := v.coordinate(p)
	return &CursorAt{X: at.X, Y: at.Y, Inside: p.In(v.rect)}
}

// changed is ch in v's coordinates.
func (v view) changed(ch Change) *Changed {
	out := &Changed{Percent: math.Round(ch.Percent*100) / 100}
	if ch.Rect.Empty() {
		return out
	}
	out.Percent = max(out.Percent, 0.01)
	n, r := v.size(), ch.Rect.Sub(v.rect.Min)
	w, h := v.rect.Dx(), v.rect.Dy()
	out.Region = &[4]int{r.Min.X * n.X / w, r.Min.Y * n.Y / h, (r.Max.X*n.X + w - 1) / w, (r.Max.Y*n.Y + h - 1) / h}
	return out
}
