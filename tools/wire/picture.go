package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
)

// dataURL is a picture as an address that holds it.
func dataURL(i arc.Image) string {
	return "data:" + i.MIME + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}

// blank is an empty picture of a screen, for a provider that takes no answer
// without one. A size that no screen has is 1.
func blank(width, height int) string {
	const most = 1 << 13
	at := image.NewPaletted(image.Rect(0, 0, min(max(width, 1), most), min(max(height, 1), most)), color.Palette{color.Gray{Y: 128}})
	var b bytes.Buffer
	if png.Encode(&b, at) != nil { // it is written to memory
		return ""
	}
	return dataURL(arc.Image{MIME: "image/png", Data: b.Bytes()})
}

// leftOut stands in the place of an older picture.
const leftOut = "[an earlier picture, left out]"

// LeaveOutImages puts a line of text in the place of older pictures of the user's
// and of results: each costs as much as pages of text, and a screen has changed
// since. The newest messages with pictures stay whole, so that keep pictures do,
// and the newest one in any case. It replaces elements of messages, never their
// bytes, and returns how many pictures went. Screenshots that answer OpenAI's
// computer calls stay, since nothing else may stand there; that provider can drop
// them itself (truncation).
func (f *Format) LeaveOutImages(messages []json.RawMessage, keep int) int {
	kept, gone := 0, 0
	for i, m := range slices.Backward(messages) {
		if !f.fromUser(m) {
			continue
		}
		plain, n := f.plain(m, 0)
		switch {
		case n == 0:
		case kept == 0 || kept+n <= keep:
			kept += n
		default:
			kept += n // older ones go, however few
			messages[i] = plain
			gone += n
		}
	}
	return gone
}

// fromUser reports whether a message is one that a Format made: a model's stays as
// it came.
func (f *Format) fromUser(m json.RawMessage) bool {
	s := string(m[:min(len(m), 40)])
	return strings.HasPrefix(s, `{"role":"user",`) || strings.HasPrefix(s, `{"type":"function_call_output",`)
}

// plain is v without pictures, and how many there are in it.
func (f *Format) plain(v json.RawMessage, depth int) (json.RawMessage, int) {
	if depth > 8 || len(v) == 0 || v[0] != '{' && v[0] != '[' {
		return v, 0
	}
	if v[0] == '[' {
		all, n := parseList(v), 0
		for i := range all {
			var more int
			all[i], more = f.plain(all[i], depth+1)
			n += more
		}
		if n == 0 {
			return v, 0
		}
		return list(slices.DeleteFunc(all, func(e json.RawMessage) bool { return e == nil })), n
	}
	o, err := plainjson.ParseObject(v)
	if err != nil {
		return v, 0
	}
	switch kind := o.Text("type"); {
	case kind == "image", kind == "image_url", kind == "input_image":
		return f.traits.grammar.text(leftOut), 1
	case o.Has("inlineData") && depth > 2: // inside of a function's response, which holds no text
		return nil, 1
	case o.Has("inlineData"):
		return f.traits.grammar.text(leftOut), 1
	}
	n := 0
	for i, m := range o {
		switch m.Name {
		case "content", "output", "parts", "functionResponse":
			var more int
			o[i].Value, more = f.plain(m.Value, depth+1)
			n += more
		}
	}
	if n == 0 {
		return v, 0
	}
	if string(o.Get("parts")) == "[]" {
		o.Drop("parts")
	}
	return o.Raw(), n
}
