// Package anchors compares the text that webtool makes of a page with what
// go-readability, go-trafilatura and html-to-markdown make of it. It is a module of
// its own, so that those who use webtool download none of them; its tests are all
// there is to it.
//
//	cd webtool/internal/anchors && GOWORK=off go test -v .
package anchors
