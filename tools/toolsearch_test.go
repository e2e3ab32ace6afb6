package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

func TestDefinitionsTooLargeToShowAreFoundByName(t *testing.T) {
	t.Parallel()
	big := json.RawMessage(`{"type":"object","description":"` + strings.Repeat("x", 20<<10) + `"}`)
	s := session(t, full, nil,
		says(arc.Definition{Name: "big_one", Listing: arc.Discover, Description: "Big.", Schema: big}, ""),
		says(arc.Definition{Name: "big_two", Listing: arc.Discover, Description: "Big.", Schema: big}, ""))
	r := s.Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"big"}`)})
	const want = `{"tools":[{"name":"big_one","description":"Big."}],"notices":["More tools fit than can be shown at once; ask for something narrower."]}`
	if r.String() != want {
		t.Errorf("got %s", r)
	}
}

func TestADescriptionTooLargeToShowHidesNoOtherTool(t *testing.T) {
	t.Parallel()
	s := session(t, full, nil,
		says(arc.Definition{Name: "big_one", Listing: arc.Discover, Description: strings.Repeat("Big. ", 5000)}, ""),
		says(arc.Definition{Name: "small_one", Listing: arc.Discover, Description: "Not as big."}, ""))
	r := s.Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"big"}`)})
	if r.Err != nil || !slices.Equal(r.Offers, []string{"big_one", "small_one"}) {
		t.Errorf("got %s", r)
	}
}

func TestASearchInVainNamesNoMoreThanSixty(t *testing.T) {
	t.Parallel()
	var list []arc.Tool
	for i := range 100 {
		list = append(list, says(arc.Definition{Name: fmt.Sprintf("tool_%02d", i), Listing: arc.Discover}, ""))
	}
	r := session(t, full, nil, list...).Call(t.Context(), arc.Call{Name: "tool_search", Args: []byte(`{"query":"xyzzy"}`)})
	if got := r.String(); !strings.Contains(got, `"tool_59","…"]`) || strings.Contains(got, "tool_60") {
		t.Errorf("got %s", got)
	}
}
