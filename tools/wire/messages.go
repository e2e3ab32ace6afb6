package wire

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arcseat/arc"
)

// AppendUser adds words and pictures of the user's to a conversation. What a model
// without vision cannot see is a line of text, and a blank is nothing. Where a
// provider wants the user and the model to take turns, they join the user's message
// at the end, which is then replaced.
func (f *Format) AppendUser(dst []json.RawMessage, text string, images ...arc.Image) []json.RawMessage {
	var parts []json.RawMessage
	if strings.TrimSpace(text) != "" {
		parts = append(parts, f.traits.grammar.text(text))
	}
	for _, i := range images {
		parts = append(parts, f.picture(i))
	}
	return f.join(dst, parts)
}

// AppendModel adds words of the model's own, from an earlier turn. A blank is nothing.
func (f *Format) AppendModel(dst []json.RawMessage, text string) []json.RawMessage {
	if strings.TrimSpace(text) == "" {
		return dst
	}
	return append(dst, f.traits.grammar.model(text))
}

// join adds parts of a user's message.
func (f *Format) join(dst, parts []json.RawMessage) []json.RawMessage {
	if len(parts) == 0 {
		return dst
	}
	const end = "]}"
	begin, last := f.traits.grammar.joins(), len(dst)-1
	if begin == "" || last < 0 || !strings.HasPrefix(string(dst[last]), begin) || !strings.HasSuffix(string(dst[last]), end) {
		return append(dst, f.traits.grammar.user(parts))
	}
	more := list(parts)
	before := dst[last][:len(dst[last])-len(end)]
	dst[last] = slices.Concat(before, []byte{','}, more[1:], []byte{'}'})
	return dst
}

// picture is an image as a part of a user's message.
func (f *Format) picture(i arc.Image) json.RawMessage {
	if !f.env.Model.Vision {
		return f.traits.grammar.text(unseen(i))
	}
	return f.traits.grammar.image(i.MIME, base64.StdEncoding.EncodeToString(i.Data))
}

// unseen is what stands in the place of a picture for a model that sees none.
func unseen(i arc.Image) string {
	return fmt.Sprintf("[a picture, %s, %d bytes: this model sees none]", i.MIME, len(i.Data))
}

// of says which call's the pictures after it are.
func of(c arc.Call) string { return fmt.Sprintf("[the picture of %s, call %s]", c.Name, c.ID) }

// An answered call is one with what it came to.
type answered struct {
	call   arc.Call
	origin origin
	result *arc.Result
	text   string
	images []arc.Image // none for a model that sees none: text says so
}

// AppendResults adds the results of the calls that the model has just made, in
// their order: what answers each call first, then the pictures that cannot stand
// there, and what else there is to say, in one message of the user's. results are
// what tools.Session.Run returned for calls. The messages of the reply come before.
//
// The error says that the lists differ in length, or that a result's Data or an
// error's Detail is no object; dst is then as it was.
func (f *Format) AppendResults(dst []json.RawMessage, calls []arc.Call, results []*arc.Result) ([]json.RawMessage, error) {
	if len(calls) != len(results) {
		return dst, errors.New("wire: the calls and the results differ in number")
	}
	if len(calls) == 0 {
		return dst, nil
	}
	all := make([]answered, len(calls))
	for i, c := range calls {
		a, err := f.answer(c, results[i])
		if err != nil {
			return dst, fmt.Errorf("wire: the result of %s: %w", c.Name, err)
		}
		all[i] = a
	}
	own, parts := f.traits.grammar.results(f, all)
	return f.join(append(dst, own...), parts), nil
}

// answer renders what every provider wants of a result.
func (f *Format) answer(c arc.Call, r *arc.Result) (answered, error) {
	if r == nil {
		r = &arc.Result{}
	}
	a := answered{call: c, origin: f.origin(c), result: r}
	if refused := a.origin.refused; refused != nil { // in the words that the model used
		a.result = &arc.Result{Err: refused, Images: r.Images, Notices: r.Notices}
	}
	b, err := a.result.AppendText(nil)
	if err != nil {
		return a, err
	}
	a.text, a.images = string(b), r.Images
	if !f.env.Model.Vision {
		for _, i := range r.Images {
			a.text += "\n" + unseen(i)
		}
		a.images = nil
	}
	return a, nil
}

// aside are the pictures of a in a user's message.
func (f *Format) aside(a answered) []json.RawMessage {
	if len(a.images) == 0 {
		return nil
	}
	parts := []json.RawMessage{f.traits.grammar.text(of(a.call))}
	for _, i := range a.images {
		parts = append(parts, f.picture(i))
	}
	return parts
}

// offered are the deferred tools that a search found, which the model may see from
// now on. They stay deferred.
func (f *Format) offered(a answered) []declared {
	if a.call.Name != searchName || a.result.Err != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.deferred {
		return nil
	}
	var found []declared
	for _, name := range a.result.Offers {
		if d, ok := f.known[name]; ok {
			found = append(found, d)
			f.loaded[name] = f.loaded[name] || d.deferred
		}
	}
	return found
}

// joined are the notices of a result as text, where its own text is not sent.
func joined(r *arc.Result) string { return strings.Join(r.Notices, "\n") }
