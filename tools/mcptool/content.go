package mcptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
)

// Limits of the pictures of a result.
const (
	maxImages     = 8
	maxImageBytes = 5 << 20 // of one
)

// content is what a service's result says, as a model gets it. One text stays as it is,
// to the byte; several parts stand on lines of their own. Pictures that models take stay
// pictures, and what else is no text is named. Structured content is left out where a
// text repeats it.
func content(r *mcp.CallToolResult) (body string, images []arc.Image) {
	var parts, texts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	picture := func(mime string, data []byte) {
		if !shows(mime, data) || len(images) >= maxImages {
			say("[a file of type %s and %d bytes, which is not shown]", oneLine(mime, 80), len(data))
			return
		}
		images = append(images, arc.Image{MIME: mime, Data: data})
	}
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts, texts = append(parts, c.Text), append(texts, c.Text)
		case *mcp.ImageContent:
			picture(c.MIMEType, c.Data)
		case *mcp.AudioContent:
			say("[a sound of type %s and %d bytes, which is not played]", oneLine(c.MIMEType, 80), len(c.Data))
		case *mcp.ResourceLink:
			say("[a link to %s: %s]", oneLine(c.Name, 200), oneLine(c.URI, 2000))
		case *mcp.EmbeddedResource:
			switch f := c.Resource; {
			case f == nil:
			case f.Blob != nil:
				picture(f.MIMEType, f.Blob)
			default:
				say("[%s]", oneLine(f.URI, 2000))
				parts, texts = append(parts, f.Text), append(texts, f.Text)
			}
		default:
			say("[a part of a kind that is not shown]")
		}
	}
	if s := structured(r.StructuredContent); s != nil && !repeats(texts, s) {
		parts = append(parts, string(compact(s)))
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD"), images
}

// shows reports whether data is a picture that models take, and of the type it says.
func shows(mime string, data []byte) bool {
	return (mime == "image/png" || mime == "image/jpeg") && len(data) <= maxImageBytes && http.DetectContentType(data) == mime
}

// structured is structured content as the service wrote it, or nil.
func structured(v any) json.RawMessage {
	if s, ok := v.(string); ok && json.Valid([]byte(s)) {
		return json.RawMessage(s) // put there by keepOriginals
	}
	if v == nil {
		return nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}

// repeats reports whether the texts say all that structured content does: as the same
// JSON, or as its only string.
func repeats(texts []string, raw json.RawMessage) bool {
	if slices.ContainsFunc(texts, func(t string) bool { return sameJSON([]byte(t), raw) }) {
		return true
	}
	all, err := plainjson.ParseObject(raw)
	if err != nil {
		return false
	}
	if len(all) == 0 {
		return true
	}
	var only string
	if len(all) > 1 || json.Unmarshal(all[0].Value, &only) != nil {
		return false
	}
	return slices.Contains(texts, only) || strings.Join(texts, "\n") == only
}

func sameJSON(a, b []byte) bool {
	var x, y any
	for _, one := range []struct {
		raw []byte
		to  *any
	}{{a, &x}, {b, &y}} {
		dec := json.NewDecoder(bytes.NewReader(one.raw))
		dec.UseNumber()
		if dec.Decode(one.to) != nil || dec.More() {
			return false
		}
	}
	return reflect.DeepEqual(x, y)
}
