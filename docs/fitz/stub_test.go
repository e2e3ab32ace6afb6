//go:build !cgo || nocgo

package fitz

import (
	"errors"
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
)

func TestWithoutCgo(t *testing.T) {
	t.Parallel()
	e, err := New(t.Context(), &Options{AllowInProcess: true})
	if e != nil || !errors.Is(err, docs.ErrUnavailable) || !strings.Contains(err.Error(), "C compiler") {
		t.Errorf("New returns %v, %v; want an error that says what to install", e, err)
	}
	Main() // returns
}
