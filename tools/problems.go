package tools

import (
	"strings"

	"github.com/arcseat/arc"
)

// refuse is the one refusal of arguments: all problems at once.
func refuse(problems []string) *arc.Error {
	return &arc.Error{
		Code:    arc.InvalidArguments,
		Message: strings.Join(problems, "; ") + ".",
		Detail:  map[string]any{"problems": problems},
	}
}
