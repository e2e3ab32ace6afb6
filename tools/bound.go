package tools

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// Limits of a result, in bytes. What a family returns is within them; what a
// stranger's tool returns is cut to them.
const (
	MaxBody   = 64 << 10 // of Result.Body
	MaxHeader = 16 << 10 // of the line before it: data, next call, notices and error

	// MaxOperatorHeader is for the operator's verbs: what a seat remembers has to be
	// shown as it is.
	MaxOperatorHeader = 8 << 20
)

// HeaderLimit is how long the line before the Body may be for a tool of this name.
func HeaderLimit(name string) int {
	if strings.HasPrefix(name, "arc_seat_") {
		return MaxOperatorHeader
	}
	return MaxHeader
}

// bound holds r, which it may change, to the limits of a result of the tool called
// name. The error says that Data, or an error's Detail, is no JSON object, or
// panics when it is made one.
func bound(name string, r *arc.Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if v := isNilPointer(r.Data); v {
		r.Data = nil
	}
	if err := boundBody(r); err != nil {
		return err
	}
	size, err := headerSize(r)
	limit := HeaderLimit(name)
	if err != nil || size <= limit {
		return err
	}
	r.Data, r.Next = nil, nil
	if r.Err == nil {
		r.Err = &arc.Error{
			Code:    arc.TooLarge,
			Message: "The call was done, but its data is too large to be shown; ask for less, or look at what it did in another way.",
			Detail:  sizeAndLimit{size, limit},
		}
	}
	if size, err = headerSize(r); err != nil || size <= MaxHeader {
		return err
	}
	// Only an error or notices of such a size are left, and nobody reads those.
	r.Err = &arc.Error{Code: r.Err.Code, Message: clip(r.Err.Message, maxMessage), Err: r.Err.Err}
	r.Notices = boundNotices(r.Notices)
	return nil
}

type sizeAndLimit struct {
	Size  int `json:"size"`
	Limit int `json:"limit"`
}

// boundBody cuts a Body that is too long, and says so in Data and in a notice.
func boundBody(r *arc.Result) error {
	if !utf8.ValidString(r.Body) {
		r.Body = strings.ToValidUTF8(r.Body, "\uFFFD")
	}
	total := len(r.Body)
	if total <= MaxBody {
		return nil
	}
	data, err := withMembers(r.Data,
		member{"truncated", &value{kind: boolean, truth: true}},
		member{"total_bytes", &value{kind: number, text: strconv.Itoa(total)}})
	if err != nil {
		return err
	}
	r.Data = data
	r.Body = r.Body[:page.Cut(r.Body, MaxBody)]
	r.Notices = append(r.Notices[:len(r.Notices):len(r.Notices)],
		fmt.Sprintf("The text was cut: these are its first %d of %d bytes, and this tool has no way to show the rest.", len(r.Body), total))
	return nil
}

// withMembers is data with members set, as JSON.
func withMembers(data any, set ...member) (json.RawMessage, error) {
	head, err := (&arc.Result{Data: data}).AppendText(nil)
	if err != nil {
		return nil, err
	}
	v, _, err := read(head)
	if err != nil {
		// Nested too deeply, or doubled: the text says more than data that nobody can
		// read, and the call was done.
		v = &value{kind: object}
	}
	out := &value{kind: object}
	for _, m := range v.members {
		if m.name != set[0].name && m.name != set[1].name {
			out.members = append(out.members, m)
		}
	}
	out.members = append(out.members, set...)
	return out.appendTo(nil), nil
}

// headerSize is the size of what stands before the Body.
func headerSize(r *arc.Result) (int, error) {
	if r.Data == nil && r.Next == nil && r.Err == nil && len(r.Notices) == 0 {
		return 0, nil
	}
	head, err := (&arc.Result{Data: r.Data, Next: r.Next, Notices: r.Notices, Err: r.Err}).AppendText(nil)
	return len(head), err
}

// boundNotices keeps the first notices, by what they take once they are escaped.
func boundNotices(all []string) []string {
	var kept []string
	size := 0
	for i, n := range all {
		n = clip(n, maxMessage)
		if size += len(appendText(nil, n)); size > MaxHeader/4 {
			return append(kept, fmt.Sprintf("%d more notices were left out.", len(all)-i))
		}
		kept = append(kept, n)
	}
	return kept
}
