package main

import (
	"testing"

	"github.com/arcseat/arc/examples/internal/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, "call", main) }

func TestScripts(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, nil)
}
