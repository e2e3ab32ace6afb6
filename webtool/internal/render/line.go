package render

import (
	"strings"

	"golang.org/x/net/html"
)

// Line is an HTML fragment, such as the title of a search result, as one line of
// text: without tags, entities decoded once, blanks collapsed, without invisible
// characters.
func Line(fragment string) string {
	if !strings.ContainsAny(fragment, "<&") {
		return line(fragment)
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(fragment))
	skip := ""
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return line(b.String())
		case html.TextToken:
			if skip == "" {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch s := string(name); {
			case skip != "":
				if tt == html.EndTagToken && s == skip {
					skip = ""
				}
			case tt == html.StartTagToken && (s == "script" || s == "style"):
				skip = s
			case !inline(s):
				b.WriteByte(' ')
			}
		}
	}
}

// inline reports whether an element of that name stands within a word's line.
func inline(name string) bool {
	switch name {
	case "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "u", "var", "wbr":
		return true
	}
	return false
}
