// Package charset decides what a body's bytes mean and makes UTF-8 of them.
//
// The rule, first match wins: a byte order mark; the charset of the Content-Type
// header; an XML declaration; a <meta> within the first 128 KiB (not only the first
// KiB: real pages declare late); UTF-8 if the whole body is valid UTF-8; windows-1252.
//
// Two lies are common enough to be caught by the bytes themselves. A declared
// multi-byte charset that decodes with errors while the body is valid UTF-8 was never
// true, and neither was UTF-8 when the bytes that are invalid in it are at least as
// many as its valid multi-byte sequences.
//
// The functions are pure, linear in the body, and safe for concurrent use.
package charset

import (
	"bytes"
	"cmp"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// scanned is how far into a body a <meta> is looked for, in bytes.
const scanned = 128 << 10

// Text is a decoded body.
type Text struct {
	Bytes   []byte // valid UTF-8 without a byte order mark; may share the body's memory
	Name    string // the encoding's canonical name, as in the WHATWG's list
	Guessed bool   // nothing declared it, and the bytes are not plain ASCII
	Errors  bool   // some bytes had no meaning in it and became U+FFFD
}

// Decode decodes body, which came with the given Content-Type header (empty: none).
// The markup of XML and HTML is looked at only if markup is set: a declaration that
// is quoted in a text file declares nothing.
func Decode(body []byte, contentType string, markup bool) Text {
	name, body := bom(body)
	if name != "" {
		return decode(body, name)
	}
	declared := header(contentType)
	if declared == "" && markup {
		if declared = xml(body); declared == "" {
			declared = meta(body)
		}
	}
	valid, invalid := 0, 0
	if utf8.Valid(whole(body)) {
		if declared == "utf-8" { // what nearly every page is
			return Text{Bytes: whole(body), Name: declared}
		}
		if !ascii(body) {
			valid = 1
		}
	} else {
		valid, invalid = sequences(body)
	}
	switch {
	case declared == "" && invalid == 0:
		if name := escaped(body, valid); name != "" {
			t := decode(body, name)
			t.Guessed = true
			return t
		}
		return Text{Bytes: whole(body), Name: "utf-8", Guessed: valid > 0}
	case declared == "":
		t := decode(body, undeclared(body))
		t.Guessed = true
		return t
	case declared == "utf-8" && invalid > 0 && invalid >= valid:
		t := decode(body, "windows-1252")
		t.Guessed = true
		return t
	case strings.HasPrefix(declared, "utf-16") && invalid == 0 && bytes.IndexByte(body, 0) < 0: // not even a blank is one byte in it
		return Text{Bytes: whole(body), Name: "utf-8", Guessed: true}
	case declared != "utf-8" && invalid == 0 && valid > 0 && multiByte(declared):
		if t := decode(body, declared); !t.Errors {
			return t
		}
		return Text{Bytes: whole(body), Name: "utf-8", Guessed: true}
	}
	return decode(body, declared)
}

// bom is the encoding that a byte order mark names, and the body after the mark.
func bom(body []byte) (string, []byte) {
	for _, m := range []struct{ mark, name string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
	} {
		if bytes.HasPrefix(body, []byte(m.mark)) {
			return m.name, body[len(m.mark):]
		}
	}
	return "", body
}

// header is the canonical name of the charset in a Content-Type header, empty if it
// names none that is known.
func header(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err == nil {
		return known(params["charset"])
	}
	// One broken parameter must not cost the one that matters.
	_, rest, ok := strings.Cut(strings.ToLower(contentType), "charset=")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, ";")
	return known(strings.Trim(rest, `"' `))
}

// known is the canonical name of a charset label, empty if it is unknown or stands
// for no decoder.
func known(label string) string {
	e, err := htmlindex.Get(strings.Trim(label, " \t\r\n\f\"'"))
	if err != nil || e == encoding.Replacement {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil || name == "replacement" {
		return ""
	}
	return name
}

func multiByte(name string) bool {
	switch name {
	case "gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis", "iso-2022-jp", "utf-16le", "utf-16be":
		return true
	}
	return false
}

// decode decodes body as the named encoding.
func decode(body []byte, name string) Text {
	if name == "utf-8" {
		body = whole(body)
		if utf8.Valid(body) {
			return Text{Bytes: body, Name: name}
		}
		return Text{Bytes: bytes.ToValidUTF8(body, []byte("\uFFFD")), Name: name, Errors: true}
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return Text{Bytes: bytes.ToValidUTF8(body, []byte("\uFFFD")), Name: "utf-8", Errors: true}
	}
	out, _, err := transform.Bytes(e.NewDecoder(), body)
	if err != nil || !utf8.Valid(out) {
		out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	}
	// A cut body may end within a character: that alone is no sign of a wrong charset.
	seen := bytes.TrimSuffix(out, []byte("\uFFFD"))
	return Text{Bytes: out, Name: name, Errors: err != nil || bytes.Contains(seen, []byte("\uFFFD"))}
}

// sequences counts the valid multi-byte sequences of UTF-8 in body, and the bytes
// that are part of none. A sequence that the end of body cuts is neither.
func sequences(body []byte) (valid, invalid int) {
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, n := utf8.DecodeRune(body[i:])
		if n > 1 {
			valid++
		} else if utf8.FullRune(body[i:]) {
			invalid++
		} else {
			return valid, invalid
		}
		i += n
	}
	return valid, invalid
}

// ascii reports whether body has no byte beyond ASCII.
func ascii(body []byte) bool {
	for _, c := range body {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// whole is body without the character that its end cuts.
func whole(body []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(body); back++ {
		tail := body[len(body)-back:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return body[:len(body)-back]
			}
			break
		}
	}
	return body
}

// escaped is iso-2022-jp for bytes that are all ASCII and switch to Japanese by
// escape sequences, and utf-16 for such as are text in it.
func escaped(body []byte, valid int) string {
	if valid > 0 {
		return ""
	}
	if bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@")) {
		return "iso-2022-jp"
	}
	return wide(body)
}

// undeclared is the encoding of bytes that nothing declares and that are not UTF-8.
func undeclared(body []byte) string {
	return cmp.Or(wide(body), "windows-1252")
}

// Wide reports whether body is text in UTF-16: by its byte order mark, by the charset of
// the Content-Type header that it came with (empty: none), or by its bytes.
func Wide(body []byte, contentType string) bool {
	name, _ := bom(body)
	return strings.HasPrefix(cmp.Or(name, header(contentType), wide(body)), "utf-16")
}

// weighed is how many bytes tell whether a body is UTF-16, and weighable the fewest.
const (
	weighed   = 512
	weighable = 16
)

// wide is utf-16 in its byte order for bytes of which at least half are characters below
// 256 in it, as in markup around text of any script, and next to none control characters
// or such characters in the other order; empty for all others.
func wide(body []byte) string {
	body = body[:min(len(body), weighed)&^1]
	if len(body) < weighable {
		return ""
	}
	little, big, odd := 0, 0, 0
	for i := 0; i < len(body); i += 2 {
		switch a, b := body[i], body[i+1]; {
		case b == 0 && shown(a):
			little++
		case a == 0 && shown(b):
			big++
		case a == 0 || b == 0:
			odd++
		}
	}
	switch half := len(body) / 4; {
	case little >= half && 16*(big+odd) <= little:
		return "utf-16le"
	case big >= half && 16*(little+odd) <= big:
		return "utf-16be"
	}
	return ""
}

func shown(c byte) bool { return c >= ' ' && c != 0x7f || c == '\n' || c == '\r' || c == '\t' }
