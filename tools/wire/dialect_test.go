package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/wire"
)

var dialects = []wire.Dialect{wire.JSONSchema, wire.GeminiLegacy, wire.Grammar, wire.Scalar, wire.OpenAIStrict}

// in is an object with the property p, and others that tests refer to.
func in(p string) string { return `{"type":"object","properties":{"p":` + p + `},"required":["p"]}` }

func TestDialects(t *testing.T) {
	t.Parallel()
	const gemini, grammar, scalar, strict = wire.GeminiLegacy, wire.Grammar, wire.Scalar, wire.OpenAIStrict
	const tree = `{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"required":["node"],` +
		`"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"}},"required":["name"]}}}`
	for _, c := range []struct {
		name, schema string
		dialect      wire.Dialect
		want         string // with p alone, what became of p
		lost         string
	}{
		{"an exclusive minimum", in(`{"type":"number","exclusiveMinimum":0,"maximum":9}`), gemini, `{"type":"number","minimum":0,"maximum":9}`, "p: exclusiveMinimum 0 became minimum"},
		{"two limits", in(`{"type":"number","exclusiveMaximum":9,"maximum":8}`), gemini, `{"type":"number","maximum":8}`, "p: exclusiveMaximum 9 dropped"},
		{"a type or null", in(`{"type":["string","null"],"description":"d"}`), gemini, `{"type":"string","description":"d","nullable":true}`, ""},
		{"types", in(`{"type":["string","number","null"]}`), gemini, `{"anyOf":[{"type":"string","nullable":true},{"type":"number","nullable":true}]}`, ""},
		{"nothing beside alternatives", in(`{"description":"d","anyOf":[{"type":"string","description":"e"},{"type":"integer"}],"default":1,"minimum":2}`), gemini,
			`{"anyOf":[{"type":"string","description":"e"},{"type":"integer","description":"d"}]}`, "p: minimum 2 dropped"},
		{"one alternative to null", in(`{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"default":null,"description":"d"}`), gemini, `{"default":null,"description":"d","nullable":true,"type":"integer","minimum":1}`, ""},
		{"an alternative inside of one", in(`{"oneOf":[{"anyOf":[{"type":"string"},{"type":"null"}]}]}`), gemini, `{"nullable":true,"type":"string"}`, ""},
		{"a closed object, nested", in(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b","c"],"additionalProperties":false}`), gemini,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"],"propertyOrdering":["a","b"]}`, "p: required c dropped, which is no property"},
		{"any object", in(`{"type":"object","description":"headers"}`), gemini, `{"type":"string","description":"headers (an object, as JSON)"}`, "p: an object became JSON in a string"},
		{"a map", in(`{"type":"object","additionalProperties":{"type":"string"}}`), gemini, `{"type":"string","description":"(an object, as JSON)"}`, "p: an object became JSON in a string"},
		{"any value", in(`{"description":"v"}`), gemini, `{"type":"string","description":"v (any value, as JSON)"}`, "p: any value became JSON in a string"},
		{"numbers in enum", in(`{"type":"integer","enum":[1,2]}`), gemini, `{"type":"integer","description":"(one of [1,2])"}`, "p: enum [1,2] dropped"},
		{"null in enum", in(`{"enum":["a",null]}`), gemini, `{"enum":["a"],"nullable":true,"type":"string"}`, ""},
		{"a constant", in(`{"const":"a"}`), gemini, `{"enum":["a"],"type":"string"}`, ""},
		{"one of several", in(`{"oneOf":[{"type":"string"},{"type":"integer","exclusiveMinimum":0}]}`), gemini, `{"anyOf":[{"type":"string"},{"type":"integer","minimum":0}]}`, "p[1]: exclusiveMinimum 0 became minimum"},
		{"a list of anything", in(`{"type":"array"}`), gemini, `{"type":"array","items":{"type":"string"}}`, "p: items became strings, since they have to be something"},
		{"formats", in(`{"type":"string","format":"uri","title":"T","examples":["x"]}`), gemini, `{"type":"string"}`, "p: format \"uri\" dropped"},
		{"a reference", `{"type":"object","properties":{"p":{"$ref":"#/definitions/a","description":"mine"}},"required":["p"],"definitions":{"a":{"type":"string","description":"theirs"}}}`, gemini,
			`{"description":"mine","type":"string"}`, ""},
		{"a reference that leads back", tree, gemini,
			`{"type":"object","properties":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"type":"string","description":"(any value, as JSON)"}},"required":["name"],"propertyOrdering":["name","next"]}},"required":["node"]}`,
			"node.next: $ref #/$defs/node became any value; node.next: any value became JSON in a string"},
		{"a reference to elsewhere", in(`{"$ref":"https://example.com/a.json"}`), gemini, `{"type":"string","description":"(any value, as JSON)"}`,
			"p: $ref https://example.com/a.json became any value; p: any value became JSON in a string"},
		{"no properties", `{"type":"object","properties":{},"required":[]}`, gemini, `{"type":"object","properties":{}}`, ""},

		{"long text", in(`{"type":"string","maxLength":65536}`), grammar, `{"type":"string"}`, "p: maxLength 65536 dropped"},
		{"text that is not so long", in(`{"type":"string","maxLength":1999}`), grammar, `{"type":"string","maxLength":1999}`, ""},
		{"many items", in(`{"type":"array","items":{"type":"string","pattern":"a"},"minItems":2000}`), grammar, `{"type":"array","items":{"type":"string"}}`, "p: minItems 2000 dropped; p[]: pattern \"a\" dropped"},
		{"a pattern with anchors", in(`{"type":"string","pattern":"^a$"}`), grammar, `{"type":"string","pattern":"^a$"}`, ""},
		{"an object without properties", `{"type":"object","properties":{},"required":[]}`, grammar, `{"type":"object","properties":{"arc_unused":{"type":"boolean","description":"leave out"}}}`, ""},
		{"any object, nested", in(`{"type":"object","properties":{}}`), grammar, `{"type":"object"}`, ""},
		{"what is not known there", in(`{"type":"string","not":{"const":"a"}}`), grammar, `{"type":"string"}`, `p: not {"const":"a"} dropped`},
		{"references stay", tree, grammar, tree, ""},

		{"types", in(`{"type":["null","string","number"],"description":"d"}`), scalar, `{"type":"string","description":"d (or number)"}`, "p: the types number became a remark"},
		{"a type or null", in(`{"type":["string","null"]}`), scalar, `{"type":"string"}`, ""},
		{"alternatives", in(`{"anyOf":[{"type":"null"},{"type":"integer","minimum":1},{"type":"string"},{}]}`), scalar, `{"type":"integer","minimum":1,"description":"(or string, another value)"}`,
			"p: the alternatives string, another value became a remark"},
		{"limits stay", in(`{"type":"number","exclusiveMinimum":0}`), scalar, `{"type":"number","exclusiveMinimum":0}`, ""},

		{"required and optional properties", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":5,"minimum":1},"c":{"enum":["x"]},"d":{"anyOf":[{"type":"string"}]},"e":{"type":["string","null"]},"f":{"const":"k"}},"required":["a"]}`, strict,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"],"minimum":1,"description":"(default 5)"},"c":{"enum":["x",null]},"d":{"anyOf":[{"type":"string"},{"type":"null"}]},"e":{"type":["string","null"]},"f":{"enum":["k",null]}},` +
				`"required":["a","b","c","d","e","f"],"additionalProperties":false}`, ""},
		{"what strict mode refuses", in(`{"type":"string","maxLength":5,"format":"uri"}`), strict, `{"type":"string"}`, "p: format \"uri\" dropped; p: maxLength 5 dropped"},
		{"any object", in(`{"type":"object"}`), strict, `{"type":"string","description":"(an object, as JSON)"}`, "p: an object became JSON in a string"},
		{"any value", in(`{}`), strict, `{"type":["string","number","boolean","null"]}`, "p: any value became text, a number, true or false, or null"},
		{"an object that says it is open", in(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":{"type":"string"}}`), strict,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, `p: additionalProperties {"type":"string"} dropped`},
		{"references stay, and one that is optional may be null", tree, strict,
			`{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"required":["node"],"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},` +
				`"required":["name","next"],"additionalProperties":false}},"additionalProperties":false}`, ""},
		{"no properties", `{"type":"object","properties":{},"required":[]}`, strict, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`, ""},
	} {
		t.Run(string(c.dialect)+" and "+c.name, func(t *testing.T) {
			t.Parallel()
			got, lost, err := c.dialect.Schema(json.RawMessage(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if strings.Contains(c.schema, `"p"`) {
				want = in(want)
				if c.dialect == strict {
					want = strings.TrimSuffix(want, "}") + `,"additionalProperties":false}`
				}
			}
			equal(t, "schema", string(got), want)
			var all []string
			for _, l := range lost {
				all = append(all, l.String())
			}
			equal(t, "lost", strings.Join(all, "; "), c.lost)
		})
	}
}

// TestAlternativesAtTheRoot holds what providers refuse, whatever the dialect: a
// service's tool that has them is reduced to what all of them have together.
func TestAlternativesAtTheRoot(t *testing.T) {
	t.Parallel()
	d := arc.Definition{Name: "odd", Schema: json.RawMessage(`{"allOf":[{"properties":{"b":{"type":"string"}},"required":["b"]},{"$ref":"#/$defs/c"}],` +
		`"oneOf":[{"properties":{"a":{"type":"integer"},"d":{"type":"string"}},"required":["d"]}],"properties":{"a":{"type":"string"}},"not":{},"$defs":{"c":{"properties":{"c":{"type":"string"}}}}}`)}
	const want = `{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"}},"$defs":{"c":{"properties":{"c":{"type":"string"}}}},"required":["b"],"type":"object"}`
	for _, p := range providers {
		list, lost, err := open(t, p, sees, nil).Tools(wire.Definitions{d})
		if err != nil || !strings.Contains(string(list), want) {
			t.Errorf("%s: %s, %v", p, list, err)
		}
		if got := fmt.Sprint(lost); got != "[odd: allOf became one object of all their properties odd: oneOf became one object of all their properties odd: not {} dropped]" {
			t.Errorf("%s: lost is %s", p, got)
		}
	}
	got, _, err := wire.OpenAIStrict.Schema(d.Schema)
	if err != nil || !strings.Contains(string(got), `"required":["a","b","c","d"]`) {
		t.Errorf("strict: %s, %v", got, err)
	}
	t.Run("very many properties are not looked through for each of them", func(t *testing.T) {
		t.Parallel()
		const count = 30_000 // once many seconds of work
		var b strings.Builder
		for i := range count {
			fmt.Fprintf(&b, `,"p%d":{}`, i)
		}
		d := arc.Definition{Name: "wide", Schema: json.RawMessage(`{"type":"object","allOf":[{"properties":{` + b.String()[1:] + `}}]}`)}
		if got := declare(t, open(t, wire.Anthropic, sees, nil), wire.Definitions{d}); strings.Count(got, ":{}") != count {
			t.Errorf("it declares %d", strings.Count(got, ":{}"))
		}
	})
	t.Run("a schema that does not say that it is an object's", func(t *testing.T) {
		t.Parallel()
		d := arc.Definition{Name: "bare", Schema: json.RawMessage(`{"properties":{}}`)}
		equal(t, "declared", declare(t, open(t, wire.Anthropic, sees, nil), wire.Definitions{d}), `[{"name":"bare","description":"","input_schema":{"properties":{},"type":"object"}}]`)
	})
}

func TestSchemasThatAreNone(t *testing.T) {
	t.Parallel()
	bomb := `{"type":"object","properties":{"p":{"$ref":"#/$defs/0"}},"$defs":{`
	for i := range 30 {
		bomb += fmt.Sprintf(`"%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/%d"},"b":{"$ref":"#/$defs/%d"}}},`, i, i+1, i+1)
	}
	bomb += `"30":{"type":"string"}}}`
	for _, d := range dialects {
		for _, s := range []string{``, `{`, `[]`, `"a"`, `null`, `true`} {
			if got, _, err := d.Schema(json.RawMessage(s)); err == nil {
				t.Errorf("%s takes %q as %s", d, s, got)
			}
		}
		if d == wire.JSONSchema {
			continue
		}
		deep := strings.Repeat(`{"type":"array","items":`, 50) + `{"type":"string"}` + strings.Repeat(`}`, 50)
		wide := `{"type":"object","properties":{"p":{"description":"` + strings.Repeat("x", 1<<20) + `"}}}`
		for _, s := range []string{in(deep), wide} {
			if _, _, err := d.Schema(json.RawMessage(s)); err == nil || !strings.Contains(err.Error(), "too large or too deep") {
				t.Errorf("%s: %v", d, err)
			}
		}
		if _, _, err := d.Schema(json.RawMessage(bomb)); (err != nil) != (d == wire.GeminiLegacy || d == wire.Scalar) {
			t.Errorf("%s and a schema that grows without end: %v", d, err)
		}
	}
	if _, _, err := wire.Dialect("other").Schema(json.RawMessage(in(`{}`))); err == nil {
		t.Error("there is another dialect")
	}
	t.Run("a tool with such a schema is declared with any object", func(t *testing.T) {
		t.Parallel()
		d := tool("bomb")
		d.Schema = json.RawMessage(bomb)
		got, lost, err := open(t, wire.OpenAIChat, sees, &wire.Options{Dialect: wire.Scalar}).Tools(wire.Definitions{d})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "declared", string(got), `[{"type":"function","function":{"name":"bomb","description":"Do it.","parameters":{"type":"object","properties":{}}}}]`)
		if len(lost) != 1 || lost[0].String() != "bomb: schema: dropped, since it is too large or too deep to be rewritten" {
			t.Errorf("lost is %v", lost)
		}
	})
}

func TestWhatADialectRepeats(t *testing.T) {
	t.Parallel()
	t.Run("a constant null is null once", func(t *testing.T) {
		t.Parallel()
		got, _, err := wire.OpenAIStrict.Schema(json.RawMessage(`{"type":"object","properties":{"a":{"const":null},"b":{"const":1}}}`))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "schema", string(got), `{"type":"object","properties":{"a":{"enum":[null]},"b":{"enum":[1,null]}},"required":["a","b"],"additionalProperties":false}`)
	})
	t.Run("the name of a property in what is lost inside of it is short", func(t *testing.T) {
		t.Parallel()
		name := strings.Repeat("n", 10_000)
		_, lost, err := wire.GeminiLegacy.Schema(json.RawMessage(`{"type":"object","properties":{"` + name + `":{"type":"object","properties":{"a":{"type":"string","not":{}}}}}}`))
		if err != nil || len(lost) != 1 || lost[0].At != name[:60]+"….a" {
			t.Errorf("lost is %.300v, %v", lost, err)
		}
	})
}

func TestDialectsOfProviders(t *testing.T) {
	t.Parallel()
	has := map[wire.Provider][]wire.Dialect{
		wire.Anthropic:  {wire.JSONSchema, wire.Scalar},
		wire.OpenAI:     {wire.JSONSchema, wire.Grammar, wire.Scalar, wire.OpenAIStrict},
		wire.OpenAIChat: {wire.JSONSchema, wire.Grammar, wire.Scalar, wire.OpenAIStrict},
		wire.Gemini:     {wire.JSONSchema, wire.GeminiLegacy, wire.Scalar},
	}
	for _, p := range providers {
		for _, d := range dialects {
			_, err := wire.New(p, sees, &wire.Options{Dialect: d})
			if want := strings.Contains(fmt.Sprintf("%q", has[p]), fmt.Sprintf("%q", d)); want != (err == nil) {
				t.Errorf("%s with %q: %v", p, d, err)
			}
		}
	}
}

func TestWhatIsAcceptedAndNotPublished(t *testing.T) {
	t.Parallel()
	s := surface{accepts: map[string]string{"read": `{"type":"object","properties":{"start_character":{"type":"integer"}}}`}}
	s.list = append(s.list, tool("read"))
	for _, d := range dialects[:4] {
		for _, p := range providers {
			f, err := wire.New(p, sees, &wire.Options{Dialect: d})
			if err != nil {
				continue
			}
			got := declare(t, f, s)
			if strings.Contains(got, "start_character") != (d == wire.Grammar) {
				t.Errorf("%s with %q: %s", p, d, got)
			}
		}
	}
	got := declare(t, open(t, wire.OpenAI, sees, &wire.Options{Dialect: wire.OpenAIStrict}), s)
	equal(t, "strict", got, `[{"type":"function","name":"read","description":"Do it.","parameters":{"type":"object","properties":{"start_character":{"type":["integer","null"]}},"required":["start_character"],"additionalProperties":false},"strict":true}]`)
	got = declare(t, open(t, wire.OpenAIChat, sees, &wire.Options{Dialect: wire.OpenAIStrict}), s)
	if !strings.HasSuffix(got, `,"strict":true}}]`) {
		t.Errorf("Chat has %s", got)
	}
	t.Run("the property that a grammar needs is taken out of calls", func(t *testing.T) {
		t.Parallel()
		f := open(t, wire.OpenAIChat, sees, &wire.Options{Dialect: wire.Grammar})
		r := read(t, f, `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"arc_unused\":true,\"in\":[{\"arc_unused\":false,\"text\":\"\\\"arc_unused\\\"\"}]}"}}]}}]}`)
		equal(t, "arguments", string(r.Calls[0].Args), `{"in":[{"text":"\"arc_unused\""}]}`)
	})
	t.Run("Gemini's functions without parameters have none", func(t *testing.T) {
		t.Parallel()
		got := declare(t, open(t, wire.Gemini, sees, &wire.Options{Dialect: wire.GeminiLegacy}), wire.Definitions{tool("status")})
		equal(t, "declared", got, `[{"functionDeclarations":[{"name":"status","description":"Do it."}]}]`)
	})
}
