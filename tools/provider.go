package tools

import (
	"slices"

	"github.com/arcseat/arc"
)

// Of is a provider of these tools and no others, for a host's own beside those of
// the families:
//
//	set, err := tools.NewSet([]arc.Provider{ws, sh, tools.Of(clock, greet)}, nil)
//
// What is wrong with a tool, a nil among them, is reported by [NewSet].
func Of(list ...arc.Tool) arc.Provider { return fixed(slices.Clone(list)) }

// fixed is a list of tools that does not change.
type fixed []arc.Tool

func (f fixed) Tools() []arc.Tool { return slices.Clone(f) }
