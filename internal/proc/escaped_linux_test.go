package proc

import "testing"

func TestAMarkIsAWholeSetting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, env string
		mark      Mark
		want      bool
	}{
		{"alone", "A=1", Mark{Setting: "A=1"}, true},
		{"first", "A=1\x00B=2\x00", Mark{Setting: "A=1"}, true},
		{"last, without an end", "B=2\x00A=1", Mark{Setting: "A=1"}, true},
		{"in between", "B=2\x00A=1\x00C=3\x00", Mark{Setting: "A=1"}, true},
		{"the start of a value", "A=12\x00", Mark{Setting: "A=1"}, false},
		{"the end of a name", "BA=1\x00", Mark{Setting: "A=1"}, false},
		{"first misleading, then there", "BA=1\x00A=12\x00A=1\x00", Mark{Setting: "A=1"}, true},
		{"a prefix", "A=12\x00", Mark{Setting: "A=1", Prefix: true}, true},
		{"a prefix of another name", "BA=12\x00", Mark{Setting: "A=1", Prefix: true}, false},
		{"nothing", "", Mark{Setting: "A=1"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.mark.in([]byte(c.env)); got != c.want {
				t.Errorf("%q carries %+v: %v", c.env, c.mark, got)
			}
		})
	}
}
