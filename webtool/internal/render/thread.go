package render

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A thread is what several people wrote one below the other: a question and its
// answers, the posts of a forum, the comments on a link. No post is the page's main
// part alone, so all of them are.
type thread struct {
	box   span // the element that they are children of
	first int32
	posts int32 // how many they are
	own   int32 // bytes of their text outside links
	kind  talk
}

// A talk is what the words of a page say that posts are.
type talk uint8

const (
	unnamed talk = iota
	remark       // comments, which may be the main part only of a page that has no other
	post         // answers, posts, messages
)

// Siblings are posts if there are as many, of which each has some text and little of
// it in links.
const (
	fewPosts  = 3
	postLeast = 40   // bytes outside links
	postLinks = 0.35 // of their text

	postShare   = 0.40 // of the page's text that answers and the like hold
	remarkShare = 0.60 // and siblings that are called nothing, or comments
	opening     = 1000 // bytes of a main part that is more than what remarks are about
)

// together widens a main part to the thread that it belongs to, if the page has one.
func (t *tree) together(m span) span {
	th, ok := t.thread()
	if !ok {
		return m
	}
	chosen := t.els[m.start].own()
	inside := m.start > th.box.start && m.start < th.box.end
	total := float64(t.els[0].own())
	switch {
	case m.start <= th.box.start && m.end >= th.box.end: // all of it already
	case inside && float64(th.own) < 1.5*float64(chosen):
		return m
	case !inside && th.kind != post && (chosen > opening || float64(th.own) < remarkShare*total):
		return m
	}
	t.talk = th
	// Up to what holds both.
	up := m.start
	for up > 0 && (up > th.box.start || t.els[up].end < th.box.end) {
		up = t.els[up].parent
	}
	if both := th.own + chosen; !inside && float64(both) < 0.5*float64(t.els[up].own()) {
		return th.box
	}
	return t.span(up)
}

// thread finds the siblings that hold most of the page's text.
func (t *tree) thread() (best thread, ok bool) {
	least := int32(postShare * float64(t.els[0].own()))
	for i := int32(0); i < int32(len(t.els)); {
		e := &t.els[i]
		if e.is(skipped) || t.unseen(e) || e.own() < least || e.own() < fewPosts*postLeast {
			i = max(e.end, i+1)
			continue
		}
		if th := t.siblings(i); th.posts >= fewPosts && th.own >= least && th.own >= best.own && (th.kind != unnamed || th.own >= int32(remarkShare*float64(t.els[0].own()))) {
			best, ok = th, true
		}
		i++
	}
	return best, ok
}

// maxSignatures is how many kinds of children an element is looked at for.
const maxSignatures = 16

// siblings are the children of element i that look like each other and hold the most
// text.
func (t *tree) siblings(i int32) thread {
	type group struct {
		tag   atom.Atom
		class string
		thread
		text, link int32
	}
	var groups []group
	for j := i + 1; j < t.els[i].end; j = t.els[j].end {
		e := &t.els[j]
		if e.own() < postLeast || t.unseen(e) {
			continue
		}
		n := e.node
		switch n.DataAtom {
		case atom.Article, atom.Div, atom.Li, atom.Section, atom.Tr, atom.Table:
		default:
			continue
		}
		class, _, _ := strings.Cut(strings.TrimSpace(attr(n, "class")), " ")
		k := 0
		for k < len(groups) && (groups[k].tag != n.DataAtom || groups[k].class != class) {
			k++
		}
		if k == len(groups) {
			if k == maxSignatures {
				continue
			}
			groups = append(groups, group{tag: n.DataAtom, class: class, thread: thread{box: t.span(i), first: j}})
		}
		g := &groups[k]
		g.posts++
		g.own += e.own()
		g.text += e.text
		g.link += e.link
	}
	var best thread
	for _, g := range groups {
		if g.own > best.own && float64(g.link) <= postLinks*float64(g.text) {
			best = g.thread
		}
	}
	if best.posts > 0 {
		best.kind = max(talkOf(t.els[best.first].node), talkOf(t.els[i].node))
	}
	return best
}

// talkOf reads what an element's class, id and type say of posts.
func talkOf(n *html.Node) talk {
	k := unnamed
	for i := range n.Attr {
		switch n.Attr[i].Key {
		case "class", "id", "itemtype", "itemprop":
		default:
			continue
		}
		words := strings.FieldsFunc(strings.ToLower(n.Attr[i].Val), func(r rune) bool { return (r < 'a' || r > 'z') && r < 0x80 })
		for _, w := range words {
			switch w {
			case "comment", "comments", "commentlist", "comtr", "commentarea":
				return remark
			case "answer", "answers", "post", "posts", "postlist", "message", "messages", "reply", "replies", "topic", "thread":
				k = post
			}
		}
	}
	return k
}

// member reports whether element i is part of the thread, and whether it is a post or
// in one, where no part is beside the point: who wrote it, when, and what others say.
func (t *tree) member(i int32) (part, within bool) {
	if t.talk.posts == 0 {
		return false, false
	}
	box := t.talk.box
	return i <= box.start && t.els[i].end >= box.end || i > box.start && i < box.end && t.els[i].parent == box.start, i > box.start && i < box.end
}
