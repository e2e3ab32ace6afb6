package tools

import (
	"testing"

	"pgregory.net/rapid"
)

// Two values have one key just when they are equal.
func TestAKeyStandsForAValue(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{
		`null`, `true`, `"true"`, `"null"`, `1`, `1.0`, `10e-1`, `"1"`, `-0`, `0`, `1e999`, `1e998`, `"n1e999"`, `0.5`, `"\u0061"`, `"a"`,
		`[]`, `{}`, `[1]`, `[1,1]`, `["1,1"]`, `[[1],1]`, `{"a":1}`, `{"b":1.0,"a":[]}`, `{"a":[],"b":1}`, `{"a":null}`, `{"a":{"b":1}}`, `"{\"a\":1,}"`,
	})
	rapid.Check(t, func(t *rapid.T) {
		parse := func(name string) *value {
			v, _, err := read([]byte("[" + texts.Draw(t, name) + "," + texts.Draw(t, name+" beside") + "]"))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		v, w := parse("one"), parse("other")
		if rapid.Bool().Draw(t, "first alone") {
			v, w = v.items[0], w.items[0]
		}
		if same := string(v.key(nil)) == string(w.key(nil)); same != v.equal(w) {
			t.Fatalf("%s and %s: equal is %v, and their keys are %s and %s", v.raw, w.raw, v.equal(w), v.key(nil), w.key(nil))
		}
	})
}
