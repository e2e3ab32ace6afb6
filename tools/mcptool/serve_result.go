package mcptool

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
)

// answer is r for a client: its text, as a model sees it, and its pictures.
func (s *serving) answer(r *arc.Result) *mcp.CallToolResult {
	text, err := r.AppendText(nil)
	if err != nil { // a host's middleware made it; a session's own results can be shown
		s.log.Error("a result cannot be shown", "err", err)
		r = &arc.Result{Err: &arc.Error{Code: arc.Internal, Message: "the call was made, but its result cannot be shown; look at what it did in another way.", Err: err}}
		text, _ = r.AppendText(nil)
	}
	res := &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: string(text)}},
		IsError: r.Err != nil,
	}
	for _, i := range r.Images {
		res.Content = append(res.Content, &mcp.ImageContent{MIMEType: i.MIME, Data: i.Data})
	}
	if s.o.Structured {
		res.StructuredContent = structure(r)
	}
	return res
}

// structure is the header of r with the Body as its field text, or body where the
// header has a text of its own.
func structure(r *arc.Result) json.RawMessage {
	head := *r
	head.Body = ""
	b, err := head.AppendText(nil)
	fields := map[string]json.RawMessage{}
	if err != nil || len(b) == 0 || json.Unmarshal(b, &fields) != nil {
		b = []byte("{}")
	}
	if r.Body == "" {
		return b
	}
	name := "text"
	if _, taken := fields[name]; taken {
		name = "body"
	}
	body, err := json.Marshal(map[string]string{name: r.Body})
	if err != nil || len(fields) == 0 {
		return body
	}
	return append(append(b[:len(b)-1], ','), body[1:]...)
}
