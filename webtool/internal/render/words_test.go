package render

import (
	"testing"

	"golang.org/x/net/html"
)

func TestHints(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]hint{
		"":                              neutral,
		"post-content":                  likely,
		"entry-content sidebar":         unlikely,
		"articleComments":               apart,
		"Related_Posts":                 apart,
		"sc-77igqf-0 hJpRRP":            neutral, // a name that a program made up
		"fAdXz gNavQ":                   neutral,
		"ad":                            unlikely,
		"header-ads":                    unlikely,
		"download shadow":               neutral, // no "ad" in the middle of a word
		"Layout--sidebarPosition-end":   neutral, // how it is laid out
		"js-social-container":           neutral, // a script's hook
		"story js-social-container":     likely,
		"supercalifragilisticarticle-x": neutral,
	} {
		if got := hintOf(&html.Node{Attr: []html.Attribute{{Key: "class", Val: class}}}); got != want {
			t.Errorf("class %q is %d, want %d", class, got, want)
		}
	}
	if got := hintOf(&html.Node{Attr: []html.Attribute{{Key: "id", Val: "Widget"}}}); got != neutral {
		t.Errorf("the id of a documented type is %d, want %d", got, neutral)
	}
	if got := hintOf(&html.Node{Attr: []html.Attribute{{Key: "id", Val: "comments"}}}); got != apart {
		t.Errorf("the id of comments is %d, want %d", got, apart)
	}
}
