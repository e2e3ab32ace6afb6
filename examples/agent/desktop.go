package main

import (
	"strings"

	"github.com/arcseat/arc/examples/local"
)

// offerDesktop leaves the desktop out where nobody has asked for it and the model may be
// one that does not see: of other servers' models that is not known.
func (j *job) offerDesktop() {
	if j.local.Desktop == local.AutoDesktop && !strings.HasPrefix(j.at.url, "https://api.anthropic.com/") && !strings.HasPrefix(j.at.url, "https://api.openai.com/") {
		j.local.Desktop = "" // and not NoDesktop: nobody has withheld it
	}
}
