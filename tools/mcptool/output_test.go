package mcptool_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/mcptool"
)

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestALongResultIsKeptAndPaged(t *testing.T) {
	t.Parallel()
	s := attach(t, child("good"), nil)
	x := session(t, s, turn("me", "peer"), nil)
	const size = 2 << 20
	r := x.Call(t.Context(), arc.Call{Name: "peer__big", Args: fmt.Appendf(nil, `{"bytes":%d}`, size)})
	if r.Err != nil || len(r.Body) > 16<<10 || !strings.HasPrefix(r.String(), `{"untrusted":true,"truncated":true,"service_id":"peer","output_id":"out_`) {
		t.Fatalf("it is %.500s", r)
	}
	got, largest := whole(t, x, r)
	if got != long(size) {
		t.Errorf("the pages are %d bytes and not the %d of the whole", len(got), size)
	}
	if largest > 49152 {
		t.Errorf("a page has %d bytes", largest)
	}
	id := field(t, r, "output_id")
	mine := turn("me", "peer")
	t.Run("a page says where it lies", func(t *testing.T) {
		p, err := s.Output(t.Context(), mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: id, Offset: size - 10})
		if err != nil || p.Text != ".........." || !p.EOF || p.NextOffset != nil || p.Next != nil || p.TotalBytes != size || p.SHA256 != hash(got) {
			t.Errorf("it is %+v, %v", p, err)
		}
		p, err = s.Output(t.Context(), mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: id, Offset: size})
		if err != nil || p.Text != "" || !p.EOF {
			t.Errorf("the end is %+v, %v", p, err)
		}
	})
	t.Run("every offset begins at a character and every size moves on", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			off := rapid.Int64Range(0, size).Draw(t, "offset")
			most := rapid.IntRange(1, 49152).Draw(t, "max_bytes")
			p, err := s.Output(context.Background(), mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: id, Offset: off, MaxBytes: &most})
			if err != nil {
				t.Fatal(err)
			}
			if p.Offset > off || off-p.Offset > 3 || !utf8.ValidString(p.Text) || p.Text != got[p.Offset:p.Offset+p.Bytes] {
				t.Fatalf("the page is %d + %d", p.Offset, p.Bytes)
			}
			if !p.EOF && p.Bytes == 0 || int(p.Bytes) > max(most, utf8.UTFMax) || p.EOF != (p.Offset+p.Bytes == size) {
				t.Fatalf("the page has %d bytes, end %v", p.Bytes, p.EOF)
			}
		})
	})
	for name, tt := range map[string]struct {
		who  arc.Turn
		args mcptool.OutputArgs
		code arc.Code
	}{
		"another seat's":    {turn("you", "peer"), mcptool.OutputArgs{ServiceID: "peer", OutputID: id}, arc.NotFound},
		"another service's": {turn("me", "peer", "other"), mcptool.OutputArgs{ServiceID: "other", OutputID: id}, arc.NotFound},
		"none":              {mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: "out_x"}, arc.NotFound},
		"a path":            {mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: "../" + id}, arc.NotFound},
		"no schema":         {mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: "schema_0"}, arc.NotFound},
		"no grant":          {turn("me"), mcptool.OutputArgs{ServiceID: "peer", OutputID: id}, arc.ServiceNotGranted},
		"any service":       {mine, mcptool.OutputArgs{ServiceID: "*", OutputID: id}, arc.ServiceNotGranted},
		"no service":        {mine, mcptool.OutputArgs{OutputID: id}, arc.ServiceNotGranted},
		"past the end":      {mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: id, Offset: size + 1}, arc.OutOfRange},
		"a negative offset": {mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: id, Offset: -1}, arc.InvalidArguments},
		"no bytes":          {mine, mcptool.OutputArgs{ServiceID: "peer", OutputID: id, MaxBytes: new(0)}, arc.InvalidArguments},
	} {
		if _, err := s.Output(t.Context(), tt.who, tt.args); !errors.Is(err, tt.code) {
			t.Errorf("%s is %v", name, err)
		}
	}
}

func TestWhatIsDroppedIsExpired(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := attach(t, inside(t), &mcptool.Options{State: state, KeepBytes: 250_000})
	big := func(in arc.Turn) *arc.Result {
		return session(t, s, in, nil).Call(t.Context(), arc.Call{Name: "peer__big", Args: json.RawMessage(`{"bytes":100000}`)})
	}
	read := func(r *arc.Result) error {
		_, err := s.Output(t.Context(), turn("me", "peer"), mcptool.OutputArgs{ServiceID: "peer", OutputID: field(t, r, "output_id")})
		return err
	}
	first, second := turn("me", "peer"), turn("me", "peer")
	second.Origin.Turn = "turn_2"
	old := big(first)
	kept := []*arc.Result{big(second), big(second)}
	if err := read(old); !errors.Is(err, arc.Expired) {
		t.Errorf("the output of the turn before is %v", err)
	}
	for _, r := range kept {
		if err := read(r); err != nil {
			t.Errorf("one of this turn is %v", err)
		}
	}
	r := big(second)
	if r.Err != nil || r.Next != nil || field(t, r, "output_id") != "" || len(r.Body) == 0 || len(r.Notices) != 1 {
		t.Errorf("without room a result is %.300s", r)
	}
	files, err := filepath.Glob(filepath.Join(state, "out_*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := read(kept[0]); !errors.Is(err, arc.Expired) && !errors.Is(err, arc.NotFound) {
		t.Errorf("a file that somebody removed is %v", err)
	}
}

// schemas are tools of a service in this process, by name.
func schemas(t testing.TB, all map[string]string) mcptool.Service {
	file := filepath.Join(t.TempDir(), "tools")
	var list []string
	for name, schema := range all {
		list = append(list, `{"name":"`+name+`","description":"D.","inputSchema":`+schema+`}`)
	}
	if err := os.WriteFile(file, []byte(strings.Join(list, ",")), 0o600); err != nil {
		t.Fatal(err)
	}
	return child("file " + file)
}

// wide is an object of n properties that are described at length.
func wide(n, words int) string {
	var props []string
	for i := range n {
		props = append(props, fmt.Sprintf(`"zeta%d": {"description": "%s", "type": "integer", "minimum": 9007199254740993}`, n-i, strings.Repeat("<w> ", words)))
	}
	return `{"type": "object", "properties": {` + strings.Join(props, ", ") + `}, "required": ["zeta1"]}`
}

func TestALargeSchemaIsShortenedAndKept(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		"small":    `{"type":"object","properties":{"b":{"type":"integer"},"a":{}}}`,
		"wordy":    wide(20, 500),   // 40 KB, of which descriptions are most
		"wide":     wide(200, 10),   // over the limit without a description
		"huge":     wide(12000, 10), // no property can be listed
		"deep":     strings.Repeat(`{"type":"object","properties":{"p":`, 100) + `{}` + strings.Repeat(`}}`, 100),
		"circular": `{"type":"object","properties":{"next":{"$ref":"#"},"tree":{"$ref":"#/$defs/t"}},"$defs":{"t":{"anyOf":[{"$ref":"#/$defs/t"},{"type":"null"}]}}}`,
		"lost":     `{"type":"object","properties":{"x":{"$ref":"https://example.org/x.json"}}}`,
		"bomb":     bomb(),
		"odd":      `{"type":"object","properties":{"x":{"type":"date"}},"required":["x"]}`,
	}
	s := attach(t, schemas(t, all), nil)
	x := session(t, s, turn("me", "peer"), nil)
	shortened := map[string]bool{}
	for _, d := range x.Deferred() {
		name, ok := strings.CutPrefix(d.Name, "peer__")
		if !ok {
			continue
		}
		if len(d.Schema) > 8<<10 {
			t.Errorf("%s is listed with %d bytes", name, len(d.Schema))
		}
		shortened[name] = strings.Contains(d.Description, "mcp_output")
		next := s.Schema(d.Name)
		args, err := json.Marshal(next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		r := x.Call(t.Context(), arc.Call{Name: next.Tool, Args: args})
		if r.Err != nil {
			t.Fatal(r)
		}
		if id := next.Arguments.(mcptool.OutputArgs).OutputID; shortened[name] && !strings.Contains(d.Description, "service_id peer, output_id "+id) {
			t.Errorf("%s does not name %s: %s", name, id, d.Description)
		}
		if got, _ := whole(t, x, r); got != all[name] {
			t.Errorf("the pages of %s are %d bytes, not the %d of its schema", name, len(got), len(all[name]))
		}
		switch {
		case name == "small" && string(d.Schema) != all[name]:
			t.Errorf("a small schema is %s", d.Schema)
		case name == "wordy" && !strings.HasPrefix(string(d.Schema), `{"type":"object","properties":{"zeta20":{"description":"`):
			t.Errorf("a wordy schema is %.200s", d.Schema)
		case name == "wide" && !strings.HasPrefix(string(d.Schema), `{"type":"object","properties":{"zeta200":{`):
			t.Errorf("a wide schema is %.200s", d.Schema)
		case name == "odd" && string(d.Schema) != `{"type":"object","properties":{"x":{}},"required":["x"]}`:
			t.Errorf("an odd schema is %s", d.Schema)
		}
	}
	for name := range all {
		want := name != "small" && name != "circular" && name != "lost"
		if got, ok := shortened[name]; !ok || got != want {
			t.Errorf("%s is shortened: %v, listed: %v", name, got, ok)
		}
	}
	for name, args := range map[string]string{"wordy": `{"zeta1":"9007199254740995"}`, "wide": `{"zeta1":12}`, "huge": `{"zeta1":1}`, "circular": `{"next":{"next":{}}}`, "bomb": `{"x":{}}`} {
		if r := x.Call(t.Context(), arc.Call{Name: "peer__" + name, Args: json.RawMessage(args)}); r.Err != nil || name == "wordy" && !strings.Contains(r.Body, `"zeta1":9007199254740995`) {
			t.Errorf("a call of %s answers %s", name, r)
		}
	}
	if s.Schema("peer__none") != nil || s.Schema("other__small") != nil {
		t.Error("a tool that is not there has a schema")
	}
}

// bomb doubles at each of its levels.
func bomb() string {
	defs := []string{`"l0":{"type":"string"}`}
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"l%d":{"allOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]}`, i+1, i, i))
	}
	for i := range 5000 {
		defs = append(defs, fmt.Sprintf(`"n%d":{}`, i))
	}
	return `{"type":"object","properties":{"x":{"$ref":"#/$defs/l40"}},"$defs":{` + strings.Join(defs, ",") + `}}`
}

// A description names a schema for as long as the service is granted, also when the
// service lists another since.
func TestASchemaOfBeforeCanStillBePaged(t *testing.T) {
	t.Parallel()
	one := inside(t)
	one.Name = "other"
	s := attach(t, one, nil)
	next := s.Schema("other__fails")
	x := session(t, s, turn("me", "other"), nil)
	x.Call(t.Context(), arc.Call{Name: "other__grow"})
	wait(t, "the changed list", func() bool { return s.Schema("other__fails") == nil })
	args, err := json.Marshal(next.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	if r := x.Call(t.Context(), arc.Call{Name: next.Tool, Args: args}); r.Err != nil || r.Body != `{"type":"object"}` {
		t.Errorf("it answers %s", r)
	}
}
