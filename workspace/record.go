package workspace

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
)

// A record is one line of the journal. The fields stand in this order; mac, the
// hash of the line before and of this line without it, comes last.
type record struct {
	V    int        `json:"v"`
	Seq  uint64     `json:"seq"`
	Type recordType `json:"t"`
	Time time.Time  `json:"ts"`
	ID   string     `json:"id,omitempty"`

	*intent // of an intent

	// How a change ended: of commit, abort and resolve.
	Now    SHA256 `json:"now,omitempty"`    // what was seen; empty: nothing there
	Reason string `json:"reason,omitempty"` // also of accept
	Kept   string `json:"kept,omitempty"`   // a conflict copy in the journal's folder

	Workspace string   `json:"workspace,omitempty"` // of a header: the project's path
	Drop      int      `json:"drop,omitempty"`      // of a prune: the last segment that is gone
	Last      uint64   `json:"last,omitempty"`      // of a prune and an accept: the last seq that is gone
	LastMAC   string   `json:"last_mac,omitempty"`  // and its mac
	Lost      []string `json:"lost,omitempty"`      // of an accept: changes whose image is lost

	Prev string `json:"prev"`
}

type recordType string

const (
	typeHeader  recordType = "header"  // first line of a segment
	typeIntent  recordType = "intent"  // a change is about to be made
	typeCommit  recordType = "commit"  // it was made
	typeAbort   recordType = "abort"   // it was not
	typeResolve recordType = "resolve" // the host settled what recovery could not
	typeAccept  recordType = "accept"  // the host accepted a damaged journal
	typePrune   recordType = "prune"   // old segments go
)

// An intent says all that is needed to finish a change or to take it back.
type intent struct {
	Op      Op       `json:"op"`
	Tool    string   `json:"tool"`
	Path    relPath  `json:"path"` // as it was asked for
	Real    relPath  `json:"real"` // without links
	Before  *version `json:"before,omitempty"`
	After   *version `json:"after,omitempty"`
	Tmp     string   `json:"tmp"`            // beside the file
	Dirs    []string `json:"dirs,omitempty"` // made for it, or gone with it, outermost first
	UndoOf  string   `json:"undo_of,omitempty"`
	Added   int      `json:"added,omitempty"`   // lines
	Removed int      `json:"removed,omitempty"` // lines
	Origin  *origin  `json:"by,omitempty"`
}

// A version is a file's content and mode. Image says where the content is kept:
// "blob", or in the record itself.
type version struct {
	Hash  SHA256 `json:"sha"`
	Size  int64  `json:"size"`
	Mode  uint32 `json:"mode"`
	Image string `json:"img,omitempty"`
}

// sound reports whether a change of that id can have been announced so: whoever
// can write to the journal may have made it up.
func (in *intent) sound(id string) bool {
	for _, d := range in.Dirs {
		if !local(relPath(d)) {
			return false
		}
	}
	if !isChangeID(id) || in.Tmp != tempName(id) || !local(in.Path) || !local(in.Real) {
		return false
	}
	switch in.Op {
	case Create:
		return in.Before == nil && in.After.sound()
	case Replace:
		return in.Before.sound() && in.After.sound() && in.Before.hasImage()
	case Remove:
		return in.Before.sound() && in.After == nil && in.Before.hasImage()
	}
	return false
}

func (v *version) sound() bool {
	return v != nil && isHash(v.Hash) && v.Size >= 0 && v.Size < 1<<40 && fs.FileMode(v.Mode).IsRegular()
}

func (v *version) hasImage() bool {
	return v.Image == imageBlob || strings.HasPrefix(v.Image, imageInline+":")
}

// local reports whether p is the path of something in the project.
func local(p relPath) bool {
	s := string(p)
	return s != "" && s != "." && path.Clean(s) == s && !path.IsAbs(s) && s != ".." && !strings.HasPrefix(s, "../") && !strings.ContainsRune(s, 0)
}

// Op is what a change does to its file.
type Op string

const (
	Create  Op = "create"  // there was no file
	Replace Op = "replace" // one file by another
	Remove  Op = "remove"  // there is no file now
)

// origin is arc.Origin in few letters.
type origin struct {
	Run  string     `json:"run,omitempty"`
	Seat arc.SeatID `json:"seat,omitempty"`
	Turn arc.TurnID `json:"turn,omitempty"`
	Call string     `json:"call,omitempty"`
}

func originOf(o arc.Origin) *origin {
	if o == (arc.Origin{}) {
		return nil
	}
	return &origin{o.Run, o.Seat, o.Turn, o.Call}
}

// A chain binds each line to the one before.
type chain struct {
	key []byte // nil: a plain hash
	mac string // of the last line
}

var macField = []byte(`,"mac":"`)

// encode gives r the next place in the chain and returns its line.
func (c *chain) encode(r *record) ([]byte, error) {
	r.V, r.Prev = 1, c.mac
	body, err := plainjson.Marshal(r)
	if err != nil {
		return nil, err
	}
	body = body[:len(body)-1] // the brace, which mac goes before
	c.mac = c.sum(c.mac, body)
	line := append(body, macField...)
	line = append(line, c.mac...)
	return append(line, '"', '}', '\n'), nil
}

var (
	errBadLine  = errors.New("not a journal record")
	errBadMAC   = errors.New("the record does not have its own hash")
	errBadChain = errors.New("the record does not follow the one before")
)

// decode checks that line, without its newline, is the next of the chain.
// Anchor accepts any predecessor: the first line of a journal whose older
// segments were pruned.
func (c *chain) decode(line []byte, anchor bool) (*record, error) {
	body, mac, ok := cutMAC(line)
	if !ok {
		return nil, errBadLine
	}
	r, ok := parseCommit(line)
	if !ok {
		r.intent = &intent{}
		if err := json.Unmarshal(withoutImage(line), &r); err != nil {
			return nil, errBadLine
		}
	}
	if r.Type != typeIntent {
		r.intent = nil
	}
	if !hmac.Equal([]byte(c.sum(r.Prev, body)), mac) {
		return nil, errBadMAC
	}
	if !anchor && r.Prev != c.mac {
		return nil, errBadChain
	}
	c.mac = string(mac)
	return &r, nil
}

// parseCommit reads the line of a commit as encode writes it: every other line is one.
// Of any other line it says that it is not ok.
func parseCommit(line []byte) (r record, ok bool) {
	rest := string(line)
	// next cuts off a value behind its name; none of ours needs an escape.
	next := func(name string) (value string) {
		if rest, ok = strings.CutPrefix(rest, name); !ok {
			return ""
		}
		value, rest, ok = strings.Cut(rest, `"`)
		ok = ok && strings.IndexFunc(value, func(r rune) bool { return r < ' ' || r > '~' || r == '\\' }) < 0
		return value
	}
	seq := next(`{"v":1,"seq":`)
	n, err := strconv.ParseUint(strings.TrimSuffix(seq, ","), 10, 64)
	if !ok || err != nil || strconv.FormatUint(n, 10)+"," != seq {
		return record{}, false
	}
	r = record{V: 1, Seq: n, Type: typeCommit}
	var ts string
	for _, f := range []struct {
		name string
		to   *string
	}{{`t":"commit","ts":"`, &ts}, {`,"id":"`, &r.ID}, {`,"now":"`, (*string)(&r.Now)}, {`,"prev":"`, &r.Prev}} {
		if *f.to = next(f.name); !ok {
			return record{}, false
		}
	}
	if r.Time, err = time.Parse(time.RFC3339Nano, ts); err != nil {
		return record{}, false
	}
	if next(`,"mac":"`); !ok || rest != "}" {
		return record{}, false
	}
	return r, true
}

// withoutImage is an intent's line without the content in it, which only an undo
// reads: most of the line, most often.
func withoutImage(line []byte) []byte {
	start := bytes.Index(line, []byte(`"img":"`+imageInline+`:`)) // no string of JSON has this in it
	if start < 0 {
		return line
	}
	start += len(`"img":"` + imageInline + `:`)
	n := bytes.IndexByte(line[start:], '"')
	if n < 0 {
		return line
	}
	return append(line[:start:start], line[start+n:]...)
}

// cutMAC splits a line into what its mac covers and the mac.
func cutMAC(line []byte) (body, mac []byte, ok bool) {
	i := bytes.LastIndex(line, macField)
	if i < 0 {
		return nil, nil, false
	}
	mac, ok = bytes.CutSuffix(line[i+len(macField):], []byte(`"}`))
	return line[:i], mac, ok && len(mac) == hex.EncodedLen(sha256.Size)
}

func (c *chain) sum(prev string, body []byte) string {
	h := sha256.New()
	if c.key != nil {
		h = hmac.New(sha256.New, c.key)
	}
	h.Write([]byte(prev))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
