package main

import (
	"errors"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/fitz"
)

// engine is the one that the programs have on this machine, or nil.
func engine(t *testing.T) docs.Engine {
	t.Helper()
	e, err := fitz.New(t.Context(), nil)
	if errors.Is(err, docs.ErrUnavailable) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// needEngine skips the test on a machine whose programs read no PDF files.
func needEngine(t *testing.T) docs.Engine {
	t.Helper()
	e := engine(t)
	if e == nil {
		t.Skip("there is no engine for PDF files")
	}
	return e
}
