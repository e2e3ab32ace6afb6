package render

import "golang.org/x/net/html"

// A hint is what an element's class and id say about it.
type hint uint8

const (
	neutral  hint = iota
	likely        // the words for the text of a page
	unlikely      // the words for what stands beside it
)

// hintOf reads the words of an element's class and id. "unlikely" words win: they
// are the more deliberate ones.
func hintOf(n *html.Node) hint {
	h := neutral
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Key != "class" && a.Key != "id" {
			continue
		}
		switch hintOfWords(a.Val) {
		case unlikely:
			return unlikely
		case likely:
			h = likely
		}
	}
	return h
}

// hintOfWords splits s into words at anything but letters, and where an upper-case
// letter follows a lower-case one.
func hintOfWords(s string) hint {
	h := neutral
	var word [24]byte
	n := 0
	lower := false
	for i := 0; i <= len(s); i++ {
		var c byte
		if i < len(s) {
			c = s[i]
		}
		isUpper := c >= 'A' && c <= 'Z'
		isLower := c >= 'a' && c <= 'z'
		if n > 0 && (!isUpper && !isLower || isUpper && lower) {
			if n <= len(word) {
				switch hintOfWord(string(word[:n])) {
				case unlikely:
					return unlikely
				case likely:
					h = likely
				}
			}
			n = 0
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
	case "ad", "ads", "advert", "adverts", "advertisement", "adsense", "adslot", "sponsor", "sponsored", "sponsors", "promo", "promos", "promotion", "banner",
		"comment", "comments", "commentlist", "disqus", "respond", "replies",
		"share", "sharing", "sharebar", "sharedaddy", "addthis", "addtoany", "social", "socials", "follow",
		"related", "relatedposts", "recommend", "recommended", "recommendations", "recirc", "outbrain", "taboola", "trending", "popular", "mostread", "readmore", "readnext",
		"jp", "yarpp", "crp", "teaser", "teasers",
		"sidebar", "aside", "widget", "widgets", "nav", "navbar", "navigation", "menu", "menus", "breadcrumb", "breadcrumbs", "pagination", "pager", "paging",
		"footer", "masthead", "topbar", "toolbar", "popup", "modal", "overlay", "lightbox",
		"newsletter", "subscribe", "subscription", "signup", "login", "register", "cookie", "cookies", "consent", "gdpr", "paywall",
		"tags", "taglist", "tagcloud", "rating", "ratings", "vote", "votes", "print", "printfriendly", "copyright", "disclaimer",
		"byline", "authorbox", "bio":
		return unlikely
	}
	return neutral
}
