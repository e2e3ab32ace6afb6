package render

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A sight is whether a browser shows an element.
type sight uint8

const (
	seen   sight = iota
	spoken       // no, but it is read to those who hear the page
	veiled       // not at first: its style is one that scripts and other style sheets undo
	unseen       // no
)

// concealed elements are there and not shown.
func concealed(n *html.Node) bool {
	hidden, declarations := told(n)
	if !hidden && declarations != "" {
		_, by := styled(n, declarations)
		return by == unseen
	}
	return hidden
}

// styled is what the style attribute of an element does to it.
func styled(n *html.Node, declarations string) (style, sight) {
	s := readStyle(declarations)
	if s.tiny && !resized(n) {
		return s, unseen
	}
	return s, s.sight()
}

// told reports whether an element's attributes other than its style, or its tag, say that
// it is not shown, and else what its style is.
func told(n *html.Node) (hidden bool, declarations string) {
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") { // what a search in the page finds is text of the page
				return true, ""
			}
		case "popover":
			return true, ""
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true, ""
			}
		case "style":
			declarations = a.Val
		case "class", "data-line-number":
			if gutter(n, a) || a.Val == "mw-editsection" { // of a page's editor, one at each heading
				return true, ""
			}
		}
	}
	return n.DataAtom == atom.Dialog && !hasAttr(n, "open"), declarations
}

// hides reports whether an inline style takes an element out of sight.
func hides(declarations string) bool {
	s := readStyle(declarations)
	return s.sight() == unseen
}

// A property is one of those that decide together what is shown.
type property uint8

const (
	display property = iota
	visibility
	opacity
	place // where the text stands, and how large
	properties
)

// A style is what a list of declarations does to the sight of an element.
type style struct {
	by   [properties]sight
	set  [properties]bool // the declarations say something of it
	tiny bool             // letters are too small to be seen: of elements in it only as far as they set no size

	color, background string
	out, clipped      bool // out of the flow of text; with nothing of it shown
	lettered          bool // the background shows through the letters
	far               sight
	flat, thin        bool // no height; no width
	cut               bool // what does not fit is not shown
}

// sight is what all the declarations come to.
func (s *style) sight() sight {
	most := seen
	for _, one := range s.by {
		most = max(most, one)
	}
	return most
}

// Distances from which text counts as moved out of the window, and the opacity and the
// size of letters up to which it counts as not there.
const (
	farAway  = -900  // pixels from where a box would stand
	farMoved = -5000 // of a margin, which layouts and slides use
	faint    = 0.05
	speck    = 1 // pixel
)

// readStyle reads the declarations of a style attribute or of a rule.
func readStyle(declarations string) style {
	var s style
	if len(declarations) < len("zoom:0") {
		return s
	}
	if strings.ContainsAny(declarations, "\\/") {
		declarations = plainStyle(declarations)
	}
	for declarations != "" {
		var one string
		one, declarations, _ = strings.Cut(declarations, ";")
		if name, value, ok := strings.Cut(one, ":"); ok {
			s.declare(strings.TrimSpace(name), value)
		}
	}
	switch {
	case s.color != "" && s.color == s.background:
		s.by[place] = unseen
	case s.clipped, s.cut && s.flat && s.thin:
		s.by[place] = max(s.by[place], spoken)
	case s.far == unseen && !s.out: // a slide, perhaps
		s.by[place] = max(s.by[place], veiled)
	case s.cut && (s.flat || s.thin), s.color == "transparent" && s.background == "" && !s.lettered:
		s.by[place] = max(s.by[place], veiled)
	default:
		s.by[place] = max(s.by[place], s.far)
	}
	return s
}

// declare takes one declaration. Of values that are none a browser keeps the one before.
func (s *style) declare(name, value string) {
	if len(name) < len("top") || len(name) > len("-webkit-background-clip") {
		return
	}
	name = lower(name)
	switch name {
	case "display", "visibility", "content-visibility", "opacity", "filter", "font-size", "color", "background", "background-color", "background-clip", "-webkit-background-clip",
		"position", "left", "right", "top", "bottom", "margin-left", "margin-top", "text-indent", "clip", "clip-path", "transform", "zoom",
		"width", "height", "max-width", "max-height", "overflow":
	default:
		return
	}
	value, _, _ = strings.Cut(value, "!")
	value = lower(strings.TrimSpace(value))
	put := func(p property, hidden bool, to sight) {
		s.set[p] = true
		s.by[p] = seen
		if hidden {
			s.by[p] = to
		}
	}
	var px float64
	measured := false
	if name != "display" && value != "" && (value[0] <= '9') {
		px, measured = length(value)
	}
	switch name {
	case "display":
		if value == "none" || shownDisplay(value) {
			put(display, value == "none", unseen)
		}
	case "visibility", "content-visibility":
		switch value {
		case "hidden", "collapse", "visible", "auto", "initial", "unset", "revert":
			put(visibility, value == "hidden" || value == "collapse", unseen)
		}
	case "opacity":
		if f, ok := fraction(value); ok {
			put(opacity, f <= faint, veiled)
		}
	case "filter":
		if _, rest, ok := strings.Cut(value, "opacity("); ok {
			f, ok := fraction(strings.TrimSuffix(rest, ")"))
			put(opacity, ok && f <= faint, veiled)
		}
	case "font-size":
		s.tiny = measured && px <= speck
	case "color":
		if s.color = value; colorless(value) {
			s.color = "transparent"
		}
	case "background", "background-color":
		s.background = value
	case "background-clip", "-webkit-background-clip":
		s.lettered = strings.Contains(value, "text")
	case "position":
		s.out = value == "absolute" || value == "fixed"
	case "left", "right", "top", "bottom":
		if measured && px <= farAway {
			s.far = unseen
		}
	case "margin-left", "margin-top", "text-indent":
		if measured && (px <= farMoved || name == "text-indent" && px <= farAway) {
			s.by[place] = unseen
		}
	case "clip", "clip-path":
		s.clipped = s.clipped || nothingOf(value)
	case "transform":
		if nowhere(value) {
			s.by[place] = unseen
		}
	case "zoom":
		if measured && px == 0 {
			s.by[place] = unseen
		}
	case "width", "max-width":
		s.thin = s.thin || measured && px <= speck
	case "height", "max-height":
		s.flat = s.flat || measured && px <= speck
	case "overflow":
		s.cut = strings.HasPrefix(value, "hidden") || strings.HasPrefix(value, "clip")
	}
}

// maxResized is how many elements below one without size are looked at.
const maxResized = 64

// resized reports whether an element below n, whose letters have no size, may give them
// one: layouts do that to close the gaps between boxes.
func resized(n *html.Node) bool {
	looked := 0
	var look func(*html.Node) bool
	look = func(n *html.Node) bool {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			if looked++; looked > maxResized || hasAttr(c, "class") || hasAttr(c, "id") || strings.Contains(attr(c, "style"), "font") || c.DataAtom == atom.Font || look(c) {
				return true
			}
		}
		return false
	}
	return look(n)
}
