package docstest

import (
	"strings"
	"testing"

	"github.com/arcseat/arc/docs"
)

func (s *suite) scripts(t *testing.T) {
	for _, word := range []string{"naïve", "Straße", "Ελλάδα", "Москва", "漢字", "“quoted”"} {
		d := s.open(t, File{Pages: []Page{{Lines: []string{"before " + word + " after"}}}})
		if text := s.pages(t, d, 1, 1, docs.WantText)[0].Text; !strings.Contains(text, word) {
			t.Errorf("%s came as %q", word, text)
		}
	}
}

func (s *suite) dingbats(t *testing.T) {
	if s.opts.NoDingbats {
		t.Skip("the engine does not know them")
	}
	d := s.open(t, File{
		Fonts: map[string]Font{"Z": {Entries: "/Subtype/Type1/BaseFont/ZapfDingbats"}},
		Pages: []Page{{Content: "BT /Z 12 Tf 72 700 Td (34lno) Tj ET", Fonts: []string{"Z"}}},
	})
	if text := s.pages(t, d, 1, 1, docs.WantText)[0].Text; !strings.Contains(text, "✓✔●■❏") {
		t.Errorf("✓✔●■❏ came as %q", text)
	}
}
