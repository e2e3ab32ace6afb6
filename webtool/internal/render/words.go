package render

import (
	"strings"

	"golang.org/x/net/html"
)

// A hint is what an element's class and id say about it.
type hint uint8

const (
	neutral  hint = iota
	likely        // the words for the text of a page
	unlikely      // the words for what stands beside it
	apart         // the words for what others wrote, or sell, below it
)

// hintOf reads the words of an element's class and id. Of several words the
// later kind counts: it is the more deliberate one.
func hintOf(n *html.Node) hint {
	h := neutral
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Key != "class" && a.Key != "id" {
			continue
		}
		if a.Key == "id" && a.Val != "" && a.Val[0] >= 'A' && a.Val[0] <= 'Z' {
			continue // the name of something that the page documents
		}
		for name := range strings.FieldsSeq(a.Val) {
			name, _, _ = strings.Cut(name, "--") // what follows says how, not what
			if !strings.HasPrefix(name, "js-") { // a script's hook
				h = max(h, hintOfWords(name))
			}
		}
	}
	return h
}

// hintOfWords splits s into words at anything but letters, and where an upper-case
// letter follows a lower-case one. Short words of that kind are seldom words: names
// that a program made up are full of them.
func hintOfWords(s string) hint {
	h := neutral
	var word [24]byte
	n := 0
	lower, camel := false, false
	for i := 0; i <= len(s); i++ {
		var c byte
		if i < len(s) {
			c = s[i]
		}
		isUpper := c >= 'A' && c <= 'Z'
		isLower := c >= 'a' && c <= 'z'
		if n > 0 && (!isUpper && !isLower || isUpper && lower) {
			split := isUpper && lower
			if n <= len(word) && (n >= 4 || !camel && !split) {
				h = max(h, hintOfWord(string(word[:n])))
			}
			n, camel = 0, split
		}
		if isUpper || isLower {
			if n < len(word) {
				word[n] = c | 0x20
			}
			n++
		}
		lower = isLower
	}
	return h
}

func hintOfWord(w string) hint {
	switch w {
	case "article", "articlebody", "body", "content", "entry", "post", "posts", "story", "storybody", "text", "main", "maincontent", "blog", "page", "hentry", "prose",
		"markdown", "document", "readme":
		return likely
	case "comment", "comments", "commentlist", "disqus", "respond", "replies", "related", "relatedposts", "recommended", "recommendations", "recirc", "outbrain", "taboola",
		"yarpp", "crp", "cookie", "cookies", "cookiebar", "cookiebanner", "cookieconsent", "consent", "gdpr", "ccpa", "onetrust", "didomi", "usercentrics", "cookiebot", "truste":
		return apart
	case "ad", "ads", "advert", "adverts", "advertisement", "adsense", "adslot", "sponsor", "sponsored", "sponsors", "promo", "promos", "promotion", "banner",
		"share", "sharing", "sharebar", "sharedaddy", "addthis", "addtoany", "social", "socials", "follow",
		"recommend", "trending", "popular", "mostread", "readmore", "readnext", "teaser", "teasers",
		"sidebar", "aside", "widget", "widgets", "nav", "navbar", "navigation", "menu", "menus", "breadcrumb", "breadcrumbs", "pagination", "pager", "paging",
		"footer", "masthead", "topbar", "toolbar", "popup", "modal",
		"newsletter", "subscribe", "subscription", "signup", "login", "register",
		"tags", "taglist", "tagcloud", "rating", "ratings", "vote", "votes", "print", "printfriendly", "copyright", "disclaimer",
		"byline", "authorbox", "bio":
		return unlikely
	}
	return neutral
}
