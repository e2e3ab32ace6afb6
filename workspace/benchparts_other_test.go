//go:build !linux

package workspace

import (
	"strings"
	"testing"
)

// pageParts are none: how much CPU time a call took is not told alike elsewhere.
var pageParts []func(*testing.T, *strings.Builder)
