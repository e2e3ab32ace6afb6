package mcptool_test

import (
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

func TestLongNamesAreCutAndStayApart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("very_long_", 12)
	var list []string
	for _, end := range []string{"", "a", "b"} {
		list = append(list, `{"name":"`+long+end+`","inputSchema":{"type":"object"}}`)
	}
	fits := strings.Repeat("f", 54-len("peer__"))
	list = append(list, `{"name":"`+fits+`","inputSchema":{"type":"object"}}`)
	x := session(t, attach(t, child("list "+strings.Join(list, ",")), nil), turn("me", "peer"), nil)
	seen := map[string]bool{}
	for _, d := range x.Deferred() {
		seen[d.Name] = true
		switch {
		case d.Name == "mcp_output", d.Name == "peer__"+fits:
		case len(d.Name) != 54 || !strings.HasPrefix(d.Name, "peer__very_long_very_long_"):
			t.Errorf("a name is %s", d.Name)
		}
		if r := x.Call(t.Context(), arc.Call{Name: d.Name}); d.Name != "mcp_output" && r.Body != "done" {
			t.Errorf("%s answers %s", d.Name, r)
		}
	}
	if len(seen) != 5 || !seen["peer__"+fits] {
		t.Errorf("the names are %v", seen)
	}
}
