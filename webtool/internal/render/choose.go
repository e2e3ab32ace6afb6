package render

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// A container that its author named the page's main part is believed when it holds at
// least this share of the page's text outside links, and more than these bytes.
const (
	mainShare      = 0.40
	mainLeast      = 250
	innerShare     = 0.50 // what is chosen inside it has to hold this share of its text
	aloneShare     = 0.30 // what is chosen on a page without such a container stands alone if it holds this share
	referenceShare = 0.05 // what a reference's code, tables and definitions hold of its text
	articleMost    = 0.70 // an article is the article if it holds this share of all articles' text
)

// choose finds the element whose text is what the page is for.
func (t *tree) choose() span {
	all := span{0, int32(len(t.els))}
	total := t.els[0].own()
	if total == 0 {
		return all
	}
	named := t.named()
	if named >= 0 {
		if e := &t.els[named]; float64(e.own()) < mainShare*float64(total) || e.own() <= mainLeast {
			named = -1
		}
	}
	if named >= 0 {
		if t.reference(named) {
			return t.span(named)
		}
		if inner, of := t.score(named); inner >= 0 && float64(t.els[inner].own()) >= innerShare*float64(of) {
			return t.span(inner)
		}
		return t.span(named)
	}
	best, of := t.score(0)
	if best < 0 {
		return all
	}
	// Where no passage stands out, the page is a list or a front page: all of it but
	// what is set aside.
	if float64(t.els[best].own()) < aloneShare*float64(of) {
		for best > 0 && float64(t.els[best].own()) < innerShare*float64(of) {
			best = t.els[best].parent
		}
	}
	// The parts of a reference are often siblings: go up to what holds more of it.
	for p, steps := t.els[best].parent, 0; p > 0 && steps < maxGrowth; p = t.els[p].parent {
		more, links := t.els[p].text-t.els[best].text, t.els[p].link-t.els[best].link
		if float64(more) < 0.1*float64(t.els[best].text) || float64(links) > 0.5*float64(more) {
			continue
		}
		if steps++; t.reference(p) {
			best = p
		}
	}
	return t.span(best)
}

func (t *tree) span(i int32) span { return span{i, t.els[i].end} }

// named is the element that the page's author marked as its main part, -1 if none is.
func (t *tree) named() int32 {
	var main, article, body, known int32 = -1, -1, -1, -1
	larger := func(best *int32, i int32) {
		if *best < 0 || t.els[i].text > t.els[*best].text {
			*best = i
		}
	}
	var articles int32
	for i := int32(0); i < int32(len(t.els)); {
		e := &t.els[i]
		if e.is(skipped) || t.unseen(e) {
			i = e.end
			continue
		}
		n := e.node
		switch n.DataAtom {
		case atom.Main:
			larger(&main, i)
		case atom.Article:
			larger(&article, i)
			if !t.within(i, atom.Article) {
				articles += e.text
			}
		}
		for k := range n.Attr {
			switch a := &n.Attr[k]; a.Key {
			case "role":
				if strings.EqualFold(a.Val, "main") {
					larger(&main, i)
				}
			case "itemprop":
				if strings.EqualFold(a.Val, "articleBody") {
					larger(&body, i)
				}
			case "id", "class":
				if e.is(block) && knownName(a.Val) {
					larger(&known, i)
				}
			}
		}
		i++
	}
	switch {
	case main >= 0:
		return main
	case article >= 0 && float64(t.els[article].text) >= articleMost*float64(articles):
		return article
	case body >= 0:
		return body
	}
	return known
}

// within reports whether an element stands in another of the given tag.
func (t *tree) within(i int32, a atom.Atom) bool {
	for p := t.els[i].parent; p >= 0; p = t.els[p].parent {
		if t.els[p].node.DataAtom == a {
			return true
		}
	}
	return false
}

// knownName reports whether a class or an id is one that publishing systems give the
// text of a page.
func knownName(s string) bool {
	for w := range strings.FieldsSeq(s) {
		switch strings.ToLower(w) {
		case "mw-content-text", "mw-parser-output", "bodycontent", "article-body", "articlebody", "article__body", "article-content", "article__content",
			"entry-content", "post-content", "post-body", "postbody", "story-body", "story-content", "markdown-body", "page-content", "main-content", "maincontent",
			"rst-content", "document", "main", "content", "contents":
			return true
		}
	}
	return false
}

// reference reports whether the text below an element reads like reference
// documentation: code, tables and definitions, of which no part is beside the point.
func (t *tree) reference(i int32) bool {
	var points float64
	var size int32
	for j := i; j < t.els[i].end; {
		e := &t.els[j]
		if e.is(skipped) || t.unseen(e) {
			j = e.end
			continue
		}
		switch e.node.DataAtom {
		case atom.Pre:
			points++
			size += e.text
			j = e.end
			continue
		case atom.Th:
			points += 1.0 / 4
			size += 4 * e.text // with the cells below it
		case atom.Dt:
			points += 1.0 / 3
			size += 4 * e.text // with its definition
		case atom.Code:
			points += 1.0 / 6
			size += e.text
		}
		j++
	}
	return points >= 2 && float64(size) >= referenceShare*float64(t.els[i].text)
}

// A passage is a piece of running text of at least this many bytes.
const passage = 25

// score finds the element below from that holds the running text: each passage counts
// for the elements around it, less the further out they are. It is -1 if there are
// none. With it comes the size of the text that was looked at.
//
// What its author's words set aside, as comments or related articles, is looked at
// only if the rest holds little.
func (t *tree) score(from int32) (best, of int32) {
	if best, of := t.scored(from, true); best >= 0 && t.els[best].own() >= mainLeast {
		return best, of
	}
	return t.scored(from, false)
}

func (t *tree) scored(from int32, wary bool) (best, of int32) {
	of = t.els[from].own()
	points := make([]float32, t.els[from].end-from)
	for i := from; i < t.els[from].end; i++ {
		e := &t.els[i]
		if e.is(skipped) || t.unseen(e) {
			i = e.end - 1
			continue
		}
		if wary && i > from && e.is(block) && e.text >= passage && t.beside(i, from) {
			of -= e.own()
			i = e.end - 1
			continue
		}
		if e.text < passage || !t.isPassage(i) {
			continue
		}
		p := 1 + float32(e.commas) + min(float32(e.text)/100, 3)
		p *= 1 - float32(e.link)/float32(e.text)
		share := float32(1)
		for up, level := e.parent, 0; up >= from && level < 5; up, level = t.els[up].parent, level+1 {
			points[up-from] += p * share
			switch level {
			case 0:
				share = 0.5
			default:
				share = 0.5 / float32(level+1)
			}
			if up == 0 {
				break
			}
		}
	}
	most := float32(0)
	best = -1
	for i := range points {
		if points[i] == 0 {
			continue
		}
		e := &t.els[from+int32(i)]
		p := points[i] * (1 - float32(e.link)/float32(max(e.text, 1)))
		switch hintOf(e.node) {
		case likely:
			p *= 1.25
		case unlikely, apart:
			p *= 0.5
		}
		if p > most {
			best, most = from+int32(i), p
		}
	}
	if best < 0 {
		return -1, of
	}
	return t.grow(best, from), of
}

// beside reports whether the words or the tag of element i set it aside from the text
// below from. Words that are about most of that text are about something else, unless
// they are those of comments.
func (t *tree) beside(i, from int32) bool {
	share := float64(t.els[i].own()) / float64(max(t.els[from].own(), 1))
	h := hintOf(t.els[i].node)
	return share < 0.9 && h == apart || share < 0.7 && (h == unlikely || setAside(t.els[i].node.DataAtom))
}

// isPassage reports whether an element is a paragraph, or a box of text without
// boxes in it.
func (t *tree) isPassage(i int32) bool {
	e := &t.els[i]
	switch e.node.DataAtom {
	case atom.P, atom.Pre, atom.Blockquote, atom.Li, atom.Dd:
		return true
	case atom.Div, atom.Section, atom.Td, atom.Article:
		if !e.is(blocks) {
			return true
		}
		// Text between line breaks, not in boxes.
		var own int32
		for c := e.node.FirstChild; c != nil; c = c.NextSibling {
			if c.FirstChild == nil && c.Data != "" && c.DataAtom == 0 {
				n, _ := weigh(c.Data)
				own += n
			}
		}
		return own >= 4*passage
	}
	return false
}

// maxGrowth is how many levels that add text a main part may go up: each costs a look
// at all that it adds.
const maxGrowth = 16

// grow goes up from an element while what that adds is text, not lists of links or
// what the page's author set aside.
func (t *tree) grow(i, top int32) int32 {
	for steps := 0; i > top && steps < maxGrowth; {
		p := t.els[i].parent
		if p < top {
			break
		}
		added := t.els[p].text - t.els[i].text
		if added > 0 {
			steps++
			if float64(t.els[p].link-t.els[i].link) >= 0.2*float64(added) {
				break
			}
			var aside int32
			for j := p + 1; j < t.els[p].end; {
				if j == i {
					j = t.els[i].end
					continue
				}
				e := &t.els[j]
				if e.text > 0 && (setAside(e.node.DataAtom) || e.is(block) && hintOf(e.node) >= unlikely) {
					aside += e.text
					j = e.end
					continue
				}
				j++
			}
			if float64(aside) > 0.3*float64(added) {
				break
			}
		}
		i = p
	}
	return i
}

func setAside(a atom.Atom) bool {
	return a == atom.Nav || a == atom.Aside || a == atom.Footer || a == atom.Form || a == atom.Search || a == atom.Dialog
}
