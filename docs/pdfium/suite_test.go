package pdfium_test

import (
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	docstest.Run(t, func(testing.TB) docs.Engine { return engine }, nil)
}
