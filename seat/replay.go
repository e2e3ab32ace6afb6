package seat

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// The window of a seat's memory.
const (
	// Window is how many exchanges a turn replays at most.
	Window = 12
	// DefaultMaxChars is how many characters they may have together before older
	// ones are clipped.
	DefaultMaxChars = 24_000
	// Head is how many characters of a clipped text are kept.
	Head = 240
)

// What stands for the reply of a turn that ended without a word, so that the roles of
// a replay still alternate.
const (
	noReply     = "(no reply: turn ended waiting)"
	noReplyFail = "(no reply: turn failed)"
)

// An Exchange is a committed turn as memory holds it.
type Exchange struct {
	Turn          arc.TurnID // whose it is
	Seq           int64      // counts the seat's turns from 1
	Prompt, Reply string     // whole
	Ended         string     // the turn's status
}

// An Entry is one exchange of a replay.
type Entry struct {
	Turn   arc.TurnID // that ended with it
	Seq    int64      // counts the seat's turns from 1
	Prompt Text       // what was asked
	Reply  Text       // what was answered, or what an operator made of it
}

// A Text is a prompt or a reply as it is replayed: whole, or its head and what
// identifies the rest.
type Text struct {
	Text    string // the whole; of a clipped one its first 240 characters
	Chars   int    // of the whole, in Unicode code points
	SHA256  string // of the whole
	Clipped bool   // only the first Head characters are in Text
}

// String is what a model is shown.
func (t Text) String() string {
	if !t.Clipped {
		return t.Text
	}
	return fmt.Sprintf("[clipped: %d characters, sha256 %s; it begins:]\n%s", t.Chars, t.SHA256, t.Text)
}

// BuildReplay is a seat's memory: what its next turn is shown of the turns before.
// Exchanges are those that are neither excluded nor superseded, newest first; the
// entries come oldest first.
//
// The newest 12 are taken. Their characters (Unicode code points of prompt and
// reply) are counted from the newest on, which is always whole. The first exchange
// that would pass maxChars, and every older one, is clipped: each of its texts that
// is longer than 240 characters becomes a stand-in of head, length and hash.
// Stand-ins don't count. Clipping never lets a thirteenth entry in.
func BuildReplay(newestFirst []Exchange, maxChars int) []Entry {
	n := min(len(newestFirst), Window)
	entries := make([]Entry, n)
	used, clip := 0, false
	for i, x := range newestFirst[:n] {
		reply := x.Reply
		switch {
		case reply != "":
		case x.Ended == StatusFailed:
			reply = noReplyFail
		default:
			reply = noReply
		}
		chars := utf8.RuneCountInString(x.Prompt) + utf8.RuneCountInString(reply)
		clip = clip || i > 0 && used+chars > maxChars
		used += chars
		entries[n-1-i] = Entry{Turn: x.Turn, Seq: x.Seq, Prompt: newText(x.Prompt, clip), Reply: newText(reply, clip)}
	}
	return entries
}

// newText is s whole, or clipped if it is to be and longer than a head.
func newText(s string, clip bool) Text {
	t := Text{Text: s, Chars: utf8.RuneCountInString(s), SHA256: hash(s)}
	if clip && t.Chars > Head {
		t.Text, t.Clipped = page.First(s, Head), true
	}
	return t
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
