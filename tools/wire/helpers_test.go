package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

var providers = []wire.Provider{wire.Anthropic, wire.OpenAI, wire.OpenAIChat, wire.Gemini}

// sees is the Env of a model that sees pictures.
var sees = arc.Env{Model: arc.Model{Vision: true}}

// dot is a picture.
var dot = arc.Image{MIME: "image/png", Data: []byte("dot")}

func open(t testing.TB, p wire.Provider, env arc.Env, o *wire.Options) *wire.Format {
	t.Helper()
	f, err := wire.New(p, env, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tool is a definition with an empty object for a schema.
func tool(name string) arc.Definition {
	return arc.Definition{Name: name, Description: "Do it.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
}

// read reads a response that must be readable.
func read(t *testing.T, f *wire.Format, body string) wire.Reply {
	t.Helper()
	r, err := f.Read([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// messages are compared as text, one a line.
func messages(list []json.RawMessage) string {
	s := ""
	for _, m := range list {
		s += string(m) + "\n"
	}
	return s
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

// surface is a Surface of any kind.
type surface struct {
	list, deferred, native []arc.Definition
	accepts                map[string]string
}

func (s surface) List() []arc.Definition     { return s.list }
func (s surface) Deferred() []arc.Definition { return s.deferred }
func (s surface) Native() []arc.Definition   { return s.native }
func (s surface) Accepts(name string) json.RawMessage {
	if a, ok := s.accepts[name]; ok {
		return json.RawMessage(a)
	}
	return nil
}

// declare declares tools that must be declarable.
func declare(t *testing.T, f *wire.Format, s wire.Surface) string {
	t.Helper()
	list, _, err := f.Tools(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(list)
}
