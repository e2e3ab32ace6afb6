package mcptool

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/plainjson"
	"github.com/arcseat/arc/tools"
)

// Whatever a service lists as a schema: the SDK hands it on to the byte, and what is
// listed is one of an object, within the limit, against which arguments can be checked.
func FuzzSchemas(f *testing.F) {
	for _, s := range []string{
		`{"type":"object"}`, `{}`, `true`, `null`, `[]`, `"x"`, `{"type":["object","null"]}`, `{"$ref":"#"}`,
		`{"type":"object","properties":{"a":{"type":"date"},"b":{"$ref":"#/$defs/x"},"b":{}},"$defs":{"x":{"allOf":[{"$ref":"#"}]}}}`,
		`{"type":"object","properties":[],"required":"a","items":{"enum":[1,"<&>",1e400]}}`, `{"type":"object","$schema":"x","_meta":{}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) || !utf8.ValidString(schema) {
			return
		}
		kept := keepOriginals(json.RawMessage(`{"tools":[{"name":"t","_meta":{"x":1},"inputSchema":` + schema + `}],"nextCursor":"c"}`))
		var list mcp.ListToolsResult
		if err := json.Unmarshal(kept, &list); err != nil {
			if !json.Valid(kept) {
				t.Fatalf("the list is %s, %v", kept, err)
			}
			return // too deep, or a number too large, for the SDK
		}
		if list.NextCursor != "c" || len(list.Tools) != 1 || list.Tools[0].Meta["x"] != 1.0 {
			t.Fatalf("the list is %s", kept)
		}
		raw := schemaOf(list.Tools[0])
		if want := string(json.RawMessage(schema)); string(raw) != trimmed(want) {
			t.Fatalf("the schema is %s, was %s", raw, want)
		}
		got, reduced := published(raw, func(s json.RawMessage) bool {
			_, err := tools.NewSet([]arc.Provider{tools.Of(&tool{def: arc.Definition{Name: "t", Schema: s}})}, nil)
			return err == nil
		})
		all, err := plainjson.ParseObject(got)
		if err != nil || len(got) > maxSchema {
			t.Fatalf("it is listed as %s, %v", got, err)
		}
		typed := false
		for _, m := range all {
			typed = typed || m.Name == "type" && string(m.Value) == `"object"`
		}
		completed := json.RawMessage(anyObject)
		if whole, err := plainjson.ParseObject(undated(raw)); err == nil {
			completed = append(plainjson.Object{{Name: "type", Value: json.RawMessage(`"object"`)}}, whole...).Raw()
		}
		if !typed || !reduced && !sameJSON(got, undated(raw)) && !sameJSON(got, completed) {
			t.Fatalf("it is listed as %s, less than it was: %v", got, reduced)
		}
	})
}

// trimmed is JSON without the space around it.
func trimmed(s string) string {
	var raw json.RawMessage
	if json.Unmarshal([]byte(s), &raw) != nil {
		return s
	}
	return string(raw)
}

func FuzzStructuredContent(f *testing.F) {
	for _, s := range []string{`{"z":9007199254740993,"a":1.50}`, `[1]`, `"text"`, `7`, `null`, `{"a":"<b>&\u2028"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if !json.Valid([]byte(content)) || !utf8.ValidString(content) {
			return
		}
		var r mcp.CallToolResult
		if err := json.Unmarshal(keepOriginals(json.RawMessage(`{"content":[],"structuredContent":`+content+`}`)), &r); err != nil {
			return // nested too deeply for the SDK
		}
		want := trimmed(content)
		if got := string(structured(r.StructuredContent)); got != want && (got != "" || want != "null") {
			t.Fatalf("it is %s, was %s", got, want)
		}
	})
}
