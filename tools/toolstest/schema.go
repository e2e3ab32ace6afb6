package toolstest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

var (
	//go:embed testdata/runtime_tools.json
	runtimeTools []byte
	//go:embed testdata/seat_verbs.json
	seatVerbs []byte
)

// Schema fails t unless the published schema of tool is the one that the source
// documents give for its name: the same keywords, and properties in the same
// order. Descriptions are the tool's own, and every property has one.
func Schema(t testing.TB, tool arc.Tool) {
	t.Helper()
	for _, err := range schemaFaults(tool.Definition(arc.Env{})) {
		t.Error(err)
	}
}

func schemaFaults(d arc.Definition) []error {
	want, err := golden(d.Name)
	if err != nil {
		return []error{err}
	}
	faults := undescribed(d)
	got, err := withoutDescriptions(d.Schema)
	if err != nil {
		return append(faults, fmt.Errorf("%s: %w", d.Name, err))
	}
	wanted, err := withoutDescriptions(want)
	if err != nil {
		return append(faults, err)
	}
	if !reflect.DeepEqual(got, wanted) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(wanted)
		faults = append(faults, fmt.Errorf("%s has another schema than its source\n got %s\nwant %s", d.Name, g, w))
	}
	if g, w := properties(d.Schema), properties(want); !slices.Equal(g, w) {
		faults = append(faults, fmt.Errorf("%s has its properties in the order\n     %s\nwant %s", d.Name, g, w))
	}
	return faults
}

// golden is the schema of the tool called name in the source documents.
func golden(name string) (json.RawMessage, error) {
	for _, file := range [][]byte{runtimeTools, seatVerbs} {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(file, &all); err != nil {
			return nil, err
		}
		if s, ok := all[name]; ok {
			return s, nil
		}
	}
	return nil, fmt.Errorf("the source documents have no tool %q", name)
}

// undescribed names the properties that have no description.
func undescribed(d arc.Definition) []error {
	var faults []error
	walk(d.Schema, "", func(path string, schema json.RawMessage) {
		var keywords map[string]any
		_ = json.Unmarshal(schema, &keywords) // a property may be true, which has none
		if words, _ := keywords["description"].(string); words == "" {
			faults = append(faults, fmt.Errorf("%s: the property %s has no description", d.Name, path))
		}
	})
	return faults
}

// properties are the paths of all properties in the order in which they stand,
// items marked by [].
func properties(schema json.RawMessage) []string {
	var paths []string
	walk(schema, "", func(path string, _ json.RawMessage) { paths = append(paths, path) })
	return paths
}

// walk takes visit to all properties below schema, in the order in which they
// stand.
func walk(schema json.RawMessage, under string, visit func(path string, schema json.RawMessage)) {
	var p struct {
		Properties json.RawMessage `json:"properties"`
		Items      json.RawMessage `json:"items"`
	}
	if json.Unmarshal(schema, &p) != nil {
		return
	}
	byName := map[string]json.RawMessage{}
	_ = json.Unmarshal(p.Properties, &byName)
	for _, name := range keys(p.Properties) {
		visit(under+name, byName[name])
		walk(byName[name], under+name+".", visit)
	}
	if len(p.Items) > 0 {
		walk(p.Items, strings.TrimSuffix(under, ".")+"[].", visit)
	}
}

// keys are the names of an object's properties, in order.
func keys(object json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var names []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return names
		}
		names = append(names, fmt.Sprint(t))
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return names
		}
	}
	return names
}

func withoutDescriptions(schema json.RawMessage) (any, error) {
	var s any
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	strip(s)
	return s, nil
}

// strip takes the descriptions out of a schema; a property of that name stays.
func strip(schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	delete(s, "description")
	strip(s["items"])
	if props, ok := s["properties"].(map[string]any); ok {
		for _, p := range props {
			strip(p)
		}
	}
}
