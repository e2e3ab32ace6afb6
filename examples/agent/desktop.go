package main

import "github.com/arcseat/arc/examples/local"

// offerDesktop leaves the desktop out where nobody has asked for it and the model may be
// one that does not see: of other servers' models that is not known.
func (j *job) offerDesktop() {
	if j.local.Desktop == local.AutoDesktop && !j.model.home {
		j.local.Desktop = "" // and not NoDesktop: nobody has withheld it
	}
}
