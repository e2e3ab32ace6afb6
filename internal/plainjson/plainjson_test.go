package plainjson

import (
	"errors"
	"math"
	"testing"
)

func TestWhatIsWrittenIsNotEscapedForHTML(t *testing.T) {
	t.Parallel()
	b, err := Marshal(map[string]any{"a": "1 < 2 && \"x\"\n"})
	if want := `{"a":"1 < 2 && \"x\"\n"}`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
	if got := Quote("<é\n>"); string(got) != `"<é\n>"` {
		t.Errorf("quoted: %s", got)
	}
	if b, err := Marshal(math.NaN()); err == nil {
		t.Errorf("NaN is %s", b)
	}
}

func TestAnObjectStaysAsItWas(t *testing.T) {
	t.Parallel()
	const raw = `{"z":1.50,"a":{"<":12345678901234567890},"z2":[1, 2]}`
	o, err := ParseObject([]byte(raw))
	if err != nil || string(o.Raw()) != raw {
		t.Fatalf("%s, %v", o.Raw(), err)
	}
	o.Set("a", Quote("<b>"))
	o.Set("new", []byte("7"))
	o.Drop("z", "missing")
	if want := `{"a":"<b>","z2":[1, 2],"new":7}`; string(o.Raw()) != want {
		t.Errorf("changed it is %s; want %s", o.Raw(), want)
	}
	if o.Text("a") != "<b>" || o.Text("new") != "" || o.Int("new") != 7 || o.Int("a") != 0 || o.Has("z") || o.Get("z") != nil || o.Index("z2") != 1 {
		t.Errorf("%q %q %d %d %v %s %d", o.Text("a"), o.Text("new"), o.Int("new"), o.Int("a"), o.Has("z"), o.Get("z"), o.Index("z2"))
	}
}

func TestOfANameThatIsThereTwiceTheLaterValueCounts(t *testing.T) {
	t.Parallel()
	o, err := ParseObject([]byte(`{"a":1,"b":2,"a":3}`))
	if err != nil || string(o.Raw()) != `{"a":3,"b":2}` {
		t.Errorf("%s, %v", o.Raw(), err)
	}
}

func TestWhatIsNoObjectIsRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `null`, `[]`, `"{}"`, `{} {}`} {
		if o, err := ParseObject([]byte(raw)); !errors.Is(err, ErrNoObject) {
			t.Errorf("%s: %s, %v", raw, o.Raw(), err)
		}
	}
	for _, raw := range []string{`{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{1:2}`} {
		if o, err := ParseObject([]byte(raw)); err == nil {
			t.Errorf("%s: %s", raw, o.Raw())
		}
	}
}
