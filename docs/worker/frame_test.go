package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arcseat/arc/docs"
	"pgregory.net/rapid"
)

func TestFramesComeAsTheyWent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type frame struct {
			r    reply
			body string
		}
		frames := rapid.SliceOf(rapid.Custom(func(t *rapid.T) frame {
			return frame{
				reply{Page: &page{Number: rapid.Int().Draw(t, "number"), Ink: rapid.Float64Range(0, 1).Draw(t, "ink"), Error: rapid.StringMatching(`[a-z]*`).Draw(t, "error")}},
				string(rapid.SliceOf(rapid.Byte()).Draw(t, "body")),
			}
		})).Draw(t, "frames")
		var pipe bytes.Buffer
		for _, f := range frames {
			if err := writeFrame(&pipe, f.r, f.body); err != nil {
				t.Fatal(err)
			}
		}
		r := iotest.OneByteReader(&pipe)
		for i, f := range frames {
			var got reply
			body, err := readFrame(r, &got)
			if err != nil || body != f.body || got.Page.Number != f.r.Page.Number || got.Page.Ink != f.r.Page.Ink || got.Page.Error != f.r.Page.Error {
				t.Fatalf("frame %d is %+v %q, %v; want %+v %q", i, got.Page, body, err, f.r.Page, f.body)
			}
		}
		if _, err := readFrame(r, new(reply)); err != io.EOF {
			t.Errorf("after the last frame comes %v", err)
		}
	})
}

func TestFramesHaveLimits(t *testing.T) {
	t.Parallel()
	if err := writeFrame(io.Discard, reply{}, strings.Repeat("x", maxFrame)); !errors.Is(err, errFrame) {
		t.Errorf("a frame that is too large is sent: %v", err)
	}
	if err := writeFrame(io.Discard, reply{Page: &page{}}, strings.Repeat("x", maxText)); err != nil {
		t.Errorf("the largest text is not sent: %v", err)
	}
	head := func(n, h uint32) []byte {
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, n), h)
	}
	for name, b := range map[string][]byte{
		"too long":                  head(maxFrame+1, 2),
		"too short":                 head(3, 0),
		"a header that is too long": head(maxFrame, maxHeader+1),
		"a header beyond the frame": head(10, 7),
		"a header that is no JSON":  append(head(6, 2), "[}"...),
	} {
		if _, err := readFrame(bytes.NewReader(b), new(reply)); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, b := range [][]byte{head(maxFrame, 2), append(head(100, 2), "{}"...), {0, 0, 0, 9}} {
		if _, err := readFrame(bytes.NewReader(b), new(reply)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a frame that breaks off: %v", err)
		}
	}
}

// A length is only a promise.
func TestALengthAloneTakesNoMemory(t *testing.T) {
	t.Parallel()
	b := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, maxFrame), 2), "{}few bytes"...)
	got := testing.Benchmark(func(t *testing.B) {
		t.ReportAllocs()
		for range t.N {
			readFrame(bytes.NewReader(b), new(reply))
		}
	})
	if n := got.AllocedBytesPerOp(); n > 2*chunk {
		t.Errorf("%d bytes were taken for a promise", n)
	}
}

func FuzzFrames(f *testing.F) {
	var good bytes.Buffer
	writeFrame(&good, reply{Hello: &hello{Protocol: protocol, Engine: "actor-1"}}, "")
	writeFrame(&good, reply{Info: &docs.Info{Pages: 2, Warnings: []string{"repaired"}}}, "")
	writeFrame(&good, reply{Page: &page{Number: 1, Label: "i", Ink: 0.5, HasInk: true, Warnings: []string{"a", "B"}}}, "text")
	writeFrame(&good, reply{Error: "damaged"}, "")
	f.Add(good.Bytes())
	f.Add([]byte("\xff\xff\xff\xff\x00\x00\x00\x02{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		for {
			var got reply
			before := r.Len()
			text, err := readFrame(r, &got)
			if err != nil {
				return
			}
			if len(text) > before-r.Len() {
				t.Fatalf("%d bytes of text from a frame of %d", len(text), before-r.Len())
			}
			_ = checkHello(got.Hello)
			if got.Info != nil {
				checkInfo(got.Info)
				if len(got.Info.Metadata.Title) > maxField || len(got.Info.Warnings) > maxWarnings {
					t.Errorf("info has %d bytes of title and %d warnings", len(got.Info.Metadata.Title), len(got.Info.Warnings))
				}
			}
			p, err := checkPage(got.Page, text, 1)
			if err != nil {
				continue
			}
			if p.Number != 1 || !(p.Ink >= 0 && p.Ink <= 1) || len(p.Label) > maxLabel || slices.ContainsFunc(p.Warnings, func(w string) bool { return !isWord(w) }) {
				t.Errorf("a page that lies is believed: %+v", p)
			}
		}
	})
}
