package tools

import "github.com/arcseat/arc"

// bound holds r to the limits of a result.
func bound(r *arc.Result) *arc.Result { return r }
