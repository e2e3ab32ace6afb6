package content

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/arcseat/arc/webtool/internal/visible"
)

// maxIndented is the size of the longest JSON that is indented anew, in bytes.
const maxIndented = 1 << 20

// maxGrowth is how many times longer indenting may make a text: nested arrays would
// otherwise grow with the square of their depth.
const maxGrowth = 4

// json makes the text of JSON: indented, with its numbers and strings as they stand.
func (d *Document) json(ctx context.Context, body []byte, o Options) {
	if text, title, ok := jsonFeed(ctx, body, o); ok {
		d.Kind, d.Text, d.Title = Feed, text, title
		return
	}
	d.Text = visible.Strip(string(indent(body)))
}

func indent(body []byte) []byte {
	if len(body) > maxIndented || nested(body) > 64 {
		return body
	}
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(body), "", "  ") != nil || b.Len() > maxGrowth*len(body) {
		return body
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// nested is how deeply brackets are nested in JSON; those in strings count too.
func nested(body []byte) int {
	depth, most := 0, 0
	for _, c := range body {
		switch c {
		case '{', '[':
			depth++
			most = max(most, depth)
		case '}', ']':
			depth--
		}
	}
	return most
}

// looksJSON reports whether bytes that begin like JSON are JSON; of a body that was
// cut, whether they begin with a value.
func looksJSON(body []byte, truncated bool) bool {
	if json.Valid(body) {
		return true
	}
	if !truncated {
		return false
	}
	_, err := json.NewDecoder(bytes.NewReader(body)).Token()
	return err == nil
}
