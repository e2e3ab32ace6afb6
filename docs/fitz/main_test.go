package fitz

import (
	"testing"

	"go.uber.org/goleak"
)

// The tests are their own worker also in a build with the tag arc_noreexec.
func TestMain(m *testing.M) {
	Main()
	goleak.VerifyTestMain(m)
}
