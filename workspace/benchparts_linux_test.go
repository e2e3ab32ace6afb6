package workspace

import (
	"strings"
	"testing"
)

// pageParts measure and write the parts of benchmarks.md, in order.
var pageParts = []func(*testing.T, *strings.Builder){searchPart, listPart, filePart, writePart}
