package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/arcseat/arc"
	"pgregory.net/rapid"
)

// shellSchema and others stand for the schemas that the real tools have.
const (
	shellSchema = `{"type":"object","additionalProperties":false,"properties":{"command":{"type":"string"},"cwd":{"type":"string"},
		"timeout_sec":{"type":"number","exclusiveMinimum":0,"maximum":900},"block_budget_sec":{"type":"number","exclusiveMinimum":0,"maximum":60},
		"stdin_text":{"type":"string","maxLength":65536}},"required":["command"]}`
	listSchema = `{"type":"object","properties":{"path":{"type":"string"},"recursive":{"type":"boolean","default":true},
		"limit":{"type":"integer"},"offset":{"type":"integer"}},"required":[]}`
	waitSchema = `{"type":"object","additionalProperties":false,"properties":{"after":{"type":["string","number","null"]},
		"task_id":{"type":["integer","null"],"minimum":1},"job_id":{"type":["string","null"]},"note":{"type":"string","maxLength":1500}},"required":["note"]}`
	planSchema = `{"type":"object","additionalProperties":false,"properties":{"summary":{"type":"string"},"subtasks":{"type":"array","minItems":1,"maxItems":12,
		"items":{"type":"object","additionalProperties":false,"properties":{"title":{"type":"string"},"target_files":{"type":"array","minItems":1,"items":{"type":"string"}}},
		"required":["title","target_files"]}}},"required":["summary","subtasks"]}`
	computerSchema = `{"type":"object","properties":{"actions":{"type":"array","minItems":1,"maxItems":1,"items":{"type":"object","properties":{
		"action":{"type":"string","enum":["screenshot","left_click","scroll","type","key"]},"coordinate":{"type":"array","items":{"type":"integer"}},
		"duration":{"type":"number"}},"required":["action"]}}},"required":["actions"]}`
)

func compiled(t testing.TB, raw string) *schema {
	t.Helper()
	s, err := compile(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestArgumentsAreRepaired(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, sent, want string }{
		{"no arguments are an empty object", listSchema, ``, `{}`},
		{"blanks are an empty object", listSchema, " \n", `{}`},
		{"null is an empty object", listSchema, `null`, `{}`},
		{"an empty string is an empty object", listSchema, `""`, `{}`},
		{"a string that holds the object is the object", listSchema, `"{\"path\":\"a\"}"`, `{"path":"a"}`},
		{"fitting arguments keep their bytes and their order", listSchema, `{ "limit" : 5, "path":"a\u00e9" }`, `{ "limit" : 5, "path":"a\u00e9" }`},
		{"a number in a string is a number", listSchema, `{"limit":"3"}`, `{"limit":3}`},
		{"blanks around such a number don't matter", listSchema, `{"limit":" 3 "}`, `{"limit":3}`},
		{"3.0 is a whole number", listSchema, `{"limit":3.0}`, `{"limit":3}`},
		{"1e2 is a whole number", listSchema, `{"limit":1e2}`, `{"limit":100}`},
		{"\"3.0\" is a whole number", listSchema, `{"limit":"3.0"}`, `{"limit":3}`},
		{"a decimal number in a string stays decimal", shellSchema, `{"command":"x","timeout_sec":"1.50"}`, `{"command":"x","timeout_sec":1.50}`},
		{"true in a string is true", listSchema, `{"recursive":"true"}`, `{"recursive":true}`},
		{"false in a string is false", listSchema, `{"recursive":"false"}`, `{"recursive":false}`},
		{"a number is a string where only that fits", listSchema, `{"path":2024}`, `{"path":"2024"}`},
		{"null for what may be absent is absent", listSchema, `{"path":null,"limit":5}`, `{"limit":5}`},
		{"null where null fits stays", waitSchema, `{"note":"n","job_id":null}`, `{"note":"n","job_id":null}`},
		{"a union keeps a string that looks like a number", waitSchema, `{"note":"n","after":"30"}`, `{"note":"n","after":"30"}`},
		{"a union keeps a number", waitSchema, `{"note":"n","after":30}`, `{"note":"n","after":30}`},
		{"a number or null takes a number in a string", waitSchema, `{"note":"n","task_id":"7"}`, `{"note":"n","task_id":7}`},
		{"a string that holds an array is the array", planSchema, `{"summary":"s","subtasks":"[{\"title\":\"t\",\"target_files\":[\"a\"]}]"}`,
			`{"summary":"s","subtasks":[{"title":"t","target_files":["a"]}]}`},
		{"a bare string is the one item of a list of strings", planSchema, `{"summary":"s","subtasks":[{"title":"t","target_files":"main.go"}]}`,
			`{"summary":"s","subtasks":[{"title":"t","target_files":["main.go"]}]}`},
		{"a name in brackets is one name", planSchema, `{"summary":"s","subtasks":[{"title":"t","target_files":"[id].tsx"}]}`,
			`{"summary":"s","subtasks":[{"title":"t","target_files":["[id].tsx"]}]}`},
		{"a string that holds a list of numbers is that, each repaired", computerSchema, `{"actions":[{"action":"left_click","coordinate":"[10, \"20\"]"}]}`,
			`{"actions":[{"action":"left_click","coordinate":[10,20]}]}`},
		{"a string that holds an item is that item", computerSchema, `{"actions":["{\"action\":\"screenshot\"}"]}`, `{"actions":[{"action":"screenshot"}]}`},
		{"whole numbers past 2^53 stay exact", listSchema, `{"limit":9007199254740993}`, `{"limit":9007199254740993}`},
		{"so they do out of a string", listSchema, `{"limit":"9007199254740993"}`, `{"limit":9007199254740993}`},
		{"an open schema lets other properties through", listSchema, `{"path":"a","extra":{"x":1}}`, `{"path":"a","extra":{"x":1}}`},
		{"text keeps characters that JSON need not escape", shellSchema, `{"command":"a < b && c > d","timeout_sec":"5"}`, `{"command":"a < b && c > d","timeout_sec":5}`},
		{"what another repair moves keeps its escapes", shellSchema, `{"command":"caf\u00e9","timeout_sec":"5"}`, `{"command":"caf\u00e9","timeout_sec":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := compiled(t, c.schema).normalise(json.RawMessage(c.sent))
			if err != nil {
				t.Fatalf("%s: %v", c.sent, err)
			}
			if string(got) != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.sent, got, c.want)
			}
		})
	}
}

func TestArgumentsThatDontFitAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, sent, want string }{
		{"a limit is told with the value", shellSchema, `{"command":"x","timeout_sec":0}`, `timeout_sec is 0, must be more than 0.`},
		{"all problems are told at once", shellSchema, `{"description":"d","timeout_sec":901}`,
			`the arguments object has no property "description"; it has block_budget_sec, command, cwd, stdin_text, timeout_sec; timeout_sec is 901, must be at most 900; command is missing.`},
		{"a misspelt property gets a suggestion", shellSchema, `{"command":"x","timeoutSec":5}`,
			`the arguments object has no property "timeoutSec" (did you mean "timeout_sec"?); it has block_budget_sec, command, cwd, stdin_text, timeout_sec.`},
		{"an open schema tells what was perhaps meant", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, `{"file_path":"a"}`,
			`path is missing; "file_path" is no property of this tool.`},
		{"words are not guessed into numbers", listSchema, `{"limit":"ten"}`, `limit is "ten", must be a whole number.`},
		{"True is not true", listSchema, `{"recursive":"True"}`, `recursive is "True", must be true or false.`},
		{"a number is not a truth", listSchema, `{"recursive":1}`, `recursive is 1, must be true or false.`},
		{"a truth is not a string", listSchema, `{"path":true}`, `path is true, must be a string.`},
		{"3.5 is not a whole number", listSchema, `{"limit":3.5}`, `limit is 3.5, must be a whole number.`},
		{"a whole number past 64 bits is told as that", listSchema, `{"limit":9223372036854775808}`, `limit is 9223372036854775808, must fit into 64 bits.`},
		{"so is one with an exponent", listSchema, `{"limit":1e30}`, `limit is 1000000000000000000000000000000, must fit into 64 bits.`},
		{"a number of monstrous size is no number", shellSchema, `{"command":"x","timeout_sec":1e999999999}`, `timeout_sec is 1e999999999, which is no number that a tool takes.`},
		{"null for what is required", shellSchema, `{"command":null}`, `command is null, must be a string.`},
		{"a list in one string with commas is not guessed apart", planSchema, `{"summary":"s","subtasks":[{"title":"t","target_files":"a.go, b.go"}]}`,
			`subtasks[0].target_files is "a.go, b.go", must be an array.`},
		{"so is one of lines", planSchema, `{"summary":"s","subtasks":[{"title":"t","target_files":"a.go\nb.go"}]}`,
			`subtasks[0].target_files is "a.go\nb.go", must be an array.`},
		{"a nested object that is closed names what it has", planSchema, `{"summary":"s","subtasks":[{"title":"t","target_files":["a"],"files":1}]}`,
			`subtasks[0] has no property "files" (did you mean "target_files"?); it has target_files, title.`},
		{"too few and too many items", planSchema, `{"summary":"s","subtasks":[]}`, `subtasks has 0 items, must have at least 1.`},
		{"one of a list of words, with the nearest", computerSchema, `{"actions":[{"action":"left_clik"}]}`,
			`actions[0].action is "left_clik" (did you mean "left_click"?), must be one of "screenshot", "left_click", "scroll", "type", "key".`},
		{"an object where an array is wanted", computerSchema, `{"actions":{"action":"screenshot"}}`, `actions is an object, must be an array.`},
		{"an array for the arguments", listSchema, `[]`, `the arguments are an array, must be an object.`},
		{"a word for the arguments", listSchema, `"path"`, `the arguments are "path", must be an object.`},
		{"a number with a union", waitSchema, `{"note":"n","after":true}`, `after is true, must be a string or a number or null.`},
		{"JSON that ends too soon", listSchema, `{"path":"a`, `the arguments are not JSON: at byte 10, unexpected end of JSON input.`},
		{"JSON with a slip", listSchema, `{"path":'a'}`, `the arguments are not JSON: at byte 9, invalid character '\'' looking for beginning of value.`},
		{"JSON with a slip, in a string", listSchema, `"{\"path\":}"`, `the arguments are not JSON: at byte 9, invalid character '}' looking for beginning of value.`},
		{"more than one value", listSchema, `{}{}`, `the arguments are not JSON: at byte 3, invalid character '{' after top-level value.`},
		{"a property that is there twice", listSchema, `{"path":"a","path":"b"}`, `the arguments have the property "path" twice.`},
		{"half a character", shellSchema, `{"command":"\ud83d"}`, `the arguments have one half of a surrogate pair in the text that ends at byte 19; write the character itself.`},
		{"a byte that is not UTF-8", shellSchema, "{\"command\":\"\xff\"}", `the arguments have a byte at offset 12 that is not UTF-8.`},
		{"too many values", listSchema, `{"a":[` + strings.Repeat("1,", 200_000) + `1]}`, `the arguments hold more than 200000 values.`},
		{"too deep", listSchema, strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100), `the arguments nest deeper than 64.`},
		{"too long", waitSchema, `{"note":"` + strings.Repeat("é", 1501) + `"}`, `note has 1501 characters, must have at most 1500.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compiled(t, c.schema).normalise(json.RawMessage(c.sent))
			var e *arc.Error
			if !errors.As(err, &e) || e.Code != arc.InvalidArguments {
				t.Fatalf("got %v, want a refusal", err)
			}
			if e.Message != c.want {
				t.Errorf("got  %s\nwant %s", e.Message, c.want)
			}
		})
	}
}

func TestAPairOfSurrogatesIsACharacter(t *testing.T) {
	t.Parallel()
	const sent = `{"command":"\ud83d\ude00 \\ud83d \ufffd"}`
	got, err := compiled(t, shellSchema).normalise(json.RawMessage(sent))
	if err != nil || string(got) != sent {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestAPropertyInOtherCaseSlipsPastNoCheck(t *testing.T) {
	t.Parallel()
	// encoding/json would decode Limit into the field of limit.
	s := compiled(t, listSchema)
	s.foldsCase = true
	_, err := s.normalise(json.RawMessage(`{"Limit":-1}`))
	if err == nil || !strings.Contains(err.Error(), `has no property "Limit"; did you mean "limit"?`) {
		t.Errorf("got %v", err)
	}
}

// Schemas as services write them.
func TestForeignSchemas(t *testing.T) {
	t.Parallel()
	object := func(x string) string { return `{"type":"object","properties":{"x":` + x + `}}` }
	for _, c := range []struct{ name, schema, sent, want string }{
		{"an optional of pydantic takes a number in a string", object(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), `{"x":"3"}`, `{"x":3}`},
		{"and keeps null", object(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), `{"x":null}`, `{"x":null}`},
		{"its problem is that of the one form that comes close", object(`{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]}`), `{"x":0}`, `!x is 0, must be at least 1.`},
		{"no form fits", object(`{"anyOf":[{"type":"integer"},{"type":"boolean"}]}`), `{"x":"a"}`, `!x is "a", must be a whole number or true or false.`},
		{"a form that fits as it is wins over a repair", object(`{"anyOf":[{"type":"integer"},{"type":"string"}]}`), `{"x":"3"}`, `{"x":"3"}`},
		{"one of two forms", object(`{"oneOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}]}`), `{"x":{"b":"1"}}`, `{"x":{"b":1}}`},
		{"one of two forms, and both fit", object(`{"oneOf":[{"type":"integer"},{"type":"number"}]}`), `{"x":1}`, `!x is 1, which fits 2 forms and may fit only one.`},
		{"all of several forms", object(`{"allOf":[{"type":"integer"},{"minimum":2}]}`), `{"x":"1"}`, `!x is 1, must be at least 2.`},
		{"a value that is not allowed", object(`{"not":{"type":"string"}}`), `{"x":"a"}`, `!x is "a", which is a value that is not allowed.`},
		{"a constant", object(`{"const":"v1"}`), `{"x":"v2"}`, `!x is "v2", must be "v1".`},
		{"an enum of numbers takes one in a string", object(`{"enum":[1,2]}`), `{"x":"2"}`, `{"x":2}`},
		{"a number is equal to itself in another form", object(`{"enum":[1,2]}`), `{"x":2.0}`, `{"x":2.0}`},
		{"an object is equal to itself in another order", object(`{"enum":[{"a":[1,true,null,"s"],"b":{}}]}`), `{"x":{"b":{},"a":[1.0,true,null,"s"]}}`, `{"x":{"b":{},"a":[1.0,true,null,"s"]}}`},
		{"and to no other", object(`{"const":{"a":[1,true]}}`), `{"x":{"a":[1,false]}}`, `!x is an object, must be {"a":[1,true]}.`},
		{"limits of a wrong form are ignored", object(`{"type":"string","minLength":-1,"maxLength":1.5,"pattern":5}`), `{"x":"ab"}`, `{"x":"ab"}`},
		{"a pattern of names that RE2 does not know closes nothing", `{"type":"object","patternProperties":{"(?=n)":{"type":"integer"}},"additionalProperties":false}`, `{"a":"1"}`, `{"a":"1"}`},
		{"a reference into a list, with escapes", `{"type":"object","properties":{"x":{"$ref":"#/$defs/a~1b/anyOf/1"}},"$defs":{"a/b":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`, `{"x":"3"}`, `{"x":3}`},
		{"nullable is null or the type", object(`{"type":"string","nullable":true}`), `{"x":null}`, `{"x":null}`},
		{"a pattern", object(`{"type":"string","pattern":"^a+$"}`), `{"x":"b"}`, `!x is "b", must match ^a+$.`},
		{"a pattern that RE2 does not know is ignored", object(`{"type":"string","pattern":"(?=x)"}`), `{"x":"b"}`, `{"x":"b"}`},
		{"a multiple", object(`{"type":"number","multipleOf":0.1}`), `{"x":0.3}`, `{"x":0.3}`},
		{"not a multiple", object(`{"type":"number","multipleOf":0.1}`), `{"x":0.35}`, `!x is 0.35, must be a multiple of 0.1.`},
		{"more than the limit, exactly", object(`{"type":"integer","maximum":9007199254740992}`), `{"x":9007199254740993}`, `!x is 9007199254740993, must be at most 9007199254740992.`},
		{"the places of a tuple", object(`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`), `{"x":[1,"2",3]}`, `!x[2] is not allowed.`},
		{"an older tuple", object(`{"type":"array","items":[{"type":"string"},{"type":"integer"}]}`), `{"x":[1,"2",3]}`, `{"x":["1",2,3]}`},
		{"items that are there twice, by what they are worth", object(`{"type":"array","uniqueItems":true}`), `{"x":[1,{"a":1,"b":2},"1",1.0,{"b":2.0,"a":1}]}`,
			`!x has 1.0 at [0] and again at [3], must have each item once; x has an object at [1] and again at [4], must have each item once.`},
		{"items that a repair makes alike", object(`{"type":"array","uniqueItems":true,"items":{"type":"integer"}}`), `{"x":["1",1]}`, `!x has 1 at [0] and again at [1], must have each item once.`},
		{"items that are alike only as they are written", object(`{"type":"array","uniqueItems":true}`), `{"x":["a,",["a"],"\"a\"",true,"true",null,"null"]}`, `{"x":["a,",["a"],"\"a\"",true,"true",null,"null"]}`},
		{"items that may be there twice", object(`{"type":"array","uniqueItems":false}`), `{"x":[1,1]}`, `{"x":[1,1]}`},
		{"names by pattern", `{"type":"object","patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":false}`, `{"n_a":"1"}`, `{"n_a":1}`},
		{"a schema for the other properties", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"a":"1"}`, `{"a":1}`},
		{"a tool without properties that is closed", `{"type":"object","properties":{},"additionalProperties":false}`, `{"a":1}`, `!the arguments object has no property "a"; it has none.`},
		{"a local reference", `{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"x":"3"}`, `{"x":3}`},
		{"a reference with escapes of a URL, as TypeScript's generators write", `{"type":"object","properties":{"x":{"$ref":"#/$defs/Of%3Cnumber%3E"}},"$defs":{"Of<number>":{"type":"integer"}}}`, `{"x":"3"}`, `{"x":3}`},
		{"a reference to an anchor is ignored, and not taken for the whole", `{"type":"object","properties":{"x":{"$ref":"#n"}},"$defs":{"n":{"$anchor":"n","type":"integer"}}}`, `{"x":3}`, `{"x":3}`},
		{"a reference elsewhere is ignored", object(`{"$ref":"https://example.com/x.json"}`), `{"x":"3"}`, `{"x":"3"}`},
		{"a tree that refers to itself", `{"type":"object","properties":{"x":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/t"}}}}}`,
			`{"x":{"v":"1","next":{"v":"2"}}}`, `{"x":{"v":1,"next":{"v":2}}}`},
		{"a circle of references ends", object(`{"$ref":"#/properties/x"}`), `{"x":1}`, `!x cannot be checked, its schema is too intricate.`},
		{"unknown keywords are ignored", object(`{"type":"string","format":"date","x-y":1,"uniqueItems":"no"}`), `{"x":"b"}`, `{"x":"b"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := compiled(t, c.schema).normalise(json.RawMessage(c.sent))
			out := string(got)
			var e *arc.Error
			if errors.As(err, &e) {
				out = "!" + e.Message
			}
			if out != c.want {
				t.Errorf("got  %s\nwant %s", out, c.want)
			}
		})
	}
}

func TestSchemasThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, want string }{
		"none":                        {``, "not JSON"},
		"not JSON":                    {`{`, "not JSON"},
		"of a string":                 {`{"type":"string"}`, "not one of an object"},
		"of nothing":                  {`{}`, "not one of an object"},
		"of an object or null":        {`{"type":["object","null"]}`, "not one of an object"},
		"with a type there is not":    {`{"type":"object","properties":{"a":{"type":"int"}}}`, `the type "int", which there is not`},
		"with a reference to nowhere": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, "leads nowhere"},
		"with a list for a schema":    {`{"type":"object","properties":{"a":[]}}`, "where a schema belongs"},
		"too deep":                    {`{"type":"object","not":` + strings.Repeat(`{"not":`, 40) + `{}` + strings.Repeat(`}`, 40) + `}`, ""},
		"much too deep":               {`{"type":"object","not":` + strings.Repeat(`{"not":`, 400) + `{}` + strings.Repeat(`}`, 400) + `}`, "nest deeper than 64"},
		"of too many parts":           {`{"type":"object","allOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`, "too large"},
		"of too many bytes":           {`{"type":"object","description":"` + strings.Repeat("x", 300<<10) + `"}`, "bytes, more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := compile(json.RawMessage(c.schema))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want …%s…", err, c.want)
			}
		})
	}
}

// A schema whose forms double at each step would take 2^60 steps.
func TestASchemaMadeToBeSlowEnds(t *testing.T) {
	t.Parallel()
	many := func(n int, of func(int) string) string {
		var all []string
		for i := range n {
			all = append(all, of(i))
		}
		return strings.Join(all, ",")
	}
	same := func(s string) func(int) string { return func(int) string { return s } }
	property := func(s string) string { return `{"type":"object","properties":{"x":` + s + `},"$defs":` }
	word := strings.Repeat("yz", 64)
	for _, c := range []struct{ name, schema, sent string }{
		{"forms within forms", property(`{"$ref":"#/$defs/d0"}`) + `{"d60":{"type":"integer","minimum":5},` + many(60, func(i int) string {
			return fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
		}) + `}}`, `{"x":1}`},
		{"a pattern with repetitions within each other", property(`{"type":"string","pattern":"^(((a?b?c?d?e?){30}){30})*z$"}`) + `{}}`, `{"x":"` + strings.Repeat("abcde", 20_000) + `"}`},
		{"thousands of patterns for names", `{"type":"object","patternProperties":{` + many(4000, func(i int) string { return fmt.Sprintf(`"(a|b)*x%d$":true`, i) }) + `}}`,
			`{` + many(2000, func(i int) string { return fmt.Sprintf(`"ab%d":1`, i) }) + `}`},
		{"a long enum in thousands of forms", property(`{"anyOf":[`+many(2500, same(`{"$ref":"#/$defs/e"}`))+`]}`) + `{"e":{"enum":[` +
			many(1400, func(i int) string { return fmt.Sprintf(`"%s%04d"`, strings.Repeat("xy", 60), i) }) + `]}}}`, `{"x":"` + word + `"}`},
		{"tens of thousands of required names", `{"type":"object","required":[` + many(60_000, same(`"b"`)) + `]}`,
			`{` + many(100_000, func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) + `}`},
		{"a long list without repetitions in thousands of forms", property(`{"anyOf":[`+many(3000, same(`{"$ref":"#/$defs/e"}`))+`]}`) + `{"e":{"uniqueItems":true}}}`,
			`{"x":[` + many(20_000, func(i int) string { return fmt.Sprint(i % 19_999) }) + `]}`},
		{"thousands of names in hundreds of closed forms", property(`{"anyOf":[`+many(900, same(`{"$ref":"#/$defs/e"}`))+`]}`) + `{"e":{"type":"object","additionalProperties":false,"properties":{` +
			many(3000, func(i int) string { return fmt.Sprintf(`"%s%04d":true`, strings.Repeat("xy", 20), i) }) + `}}}}`,
			`{"x":{` + many(20, func(i int) string { return fmt.Sprintf(`"%s%d":1`, word[:100], i) }) + `}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compiled(t, c.schema).normalise(json.RawMessage(c.sent))
			if !errors.Is(err, arc.InvalidArguments) || !strings.Contains(err.Error(), "too intricate") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPatternsMadeToBeLargeAreIgnored(t *testing.T) {
	t.Parallel()
	var properties []string
	for i := range 1500 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"string","pattern":"^(%s){1000}$"}`, i, strings.Repeat("ab", 50)))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := compiled(t, `{"type":"object","properties":{`+strings.Join(properties, ",")+`}}`)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 { // others run beside it; all of them as they stand would take ten
		t.Errorf("it took %d MiB", n>>20)
	}
	if _, err := s.normalise(json.RawMessage(`{"p1499":"x"}`)); err != nil {
		t.Error(err)
	}
}

func TestARefusalIsShortWhateverWasSent(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat(`{"title":5e400,"`+strings.Repeat("é", 500)+`":1},`, 5000), ",")
	_, err := compiled(t, planSchema).normalise(json.RawMessage(`{"summary":"s","subtasks":[` + many + `]}`))
	var e *arc.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if len(e.Message) > 1<<10 {
		t.Errorf("the message has %d bytes", len(e.Message))
	}
	if !strings.HasSuffix(e.Message, " more problems.") {
		t.Errorf("the message does not count the rest: %s", e.Message)
	}
	if b, err := json.Marshal(e); err != nil || len(b) > 3<<10 {
		t.Errorf("the error has %d bytes, %v", len(b), err)
	}
}

func TestWholeNumbersStayExact(t *testing.T) {
	t.Parallel()
	s := compiled(t, listSchema)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		want, _ := json.Marshal(map[string]int64{"limit": n})
		for _, sent := range []string{string(want), strings.Replace(string(want), ":", `:"`, 1)[:len(want)] + `"}`} {
			got, err := s.normalise(json.RawMessage(sent))
			if err != nil || string(got) != string(want) {
				t.Fatalf("%s became %s, %v", sent, got, err)
			}
		}
	})
}

var fuzzSchemas = []string{
	shellSchema, listSchema, waitSchema, planSchema, computerSchema,
	`{"type":"object","properties":{"x":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}},{"type":"null"}]},"y":{"oneOf":[{"type":"integer","maximum":3},{"type":"number","minimum":3}]}}}`,
	`{"type":"object","properties":{"t":{"$ref":"#/$defs/t"},"a":{"allOf":[{"type":"number"},{"type":"integer"}]}},"additionalProperties":{"type":"integer"},"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/t"}}}}}`,
}

// Whatever is sent: no panic, what is accepted fits, and a second pass changes
// nothing.
func FuzzNormalise(f *testing.F) {
	for i := range fuzzSchemas {
		for _, sent := range []string{
			`{}`, `{"limit":"3"}`, `"{\"path\":null}"`, `{"x":"[1]","y":3}`, `{"y":"3.0"}`, `{"t":{"next":{"v":"1"}},"a":1e1,"z":"2"}`,
			`{"summary":"s","subtasks":"[{\"title\":1,\"target_files\":\"a\"}]"}`, `{"actions":["{\"action\":\"key\",\"coordinate\":\"[1.0]\"}"]}`,
		} {
			f.Add(i, []byte(sent))
		}
	}
	f.Fuzz(func(t *testing.T, i int, sent []byte) {
		if i < 0 || i >= len(fuzzSchemas) {
			return
		}
		s := compiled(t, fuzzSchemas[i])
		once, err := s.normalise(sent)
		if err != nil {
			var e *arc.Error
			if !errors.As(err, &e) || e.Code != arc.InvalidArguments || len(e.Message) > 1<<10 {
				t.Fatalf("%s: %v", sent, err)
			}
			return
		}
		twice, err := s.normalise(once)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%s became %s, then %s, %v", sent, once, twice, err)
		}
		v, nodes, err := read(once)
		if err != nil {
			t.Fatalf("%s became %s: %v", sent, once, err)
		}
		steps := stepsPerCall + stepsPerNode*nodes
		check := fitter{steps: &steps}
		if check.fit(s, v, ""); len(check.problems) > 0 {
			t.Fatalf("%s became %s, which %v", sent, once, check.problems)
		}
	})
}

// A schema from anywhere is refused or used, and never a panic.
func FuzzCompile(f *testing.F) {
	for _, s := range fuzzSchemas {
		f.Add([]byte(s), []byte(`{"x":"1","limit":null}`))
	}
	f.Fuzz(func(t *testing.T, schema, sent []byte) {
		s, err := compile(schema)
		if err != nil {
			return
		}
		once, err := s.normalise(sent)
		if err != nil {
			return
		}
		if twice, err := s.normalise(once); err != nil || string(twice) != string(once) {
			t.Fatalf("%s became %s, then %s, %v", sent, once, twice, err)
		}
	})
}
