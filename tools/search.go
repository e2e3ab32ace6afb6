package tools

import (
	"strings"

	"github.com/arcseat/arc"
)

// Search finds tools by plain words, best first: at most limit of those that the
// turn allows and the first list did not show.
func (s *Session) Search(query string, limit int) []arc.Definition {
	var found []arc.Definition
	for _, e := range s.entries {
		if len(found) < limit && s.offered(e) && strings.Contains(e.def.Name+" "+e.def.Description, query) {
			found = append(found, e.def)
		}
	}
	return found
}
