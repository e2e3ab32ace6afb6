package render

import (
	"strings"
	"testing"
)

func TestThreadsAreOneMainPart(t *testing.T) {
	t.Parallel()
	const menu = `<nav><ul><li><a href="/a">Alpha</a><li><a href="/b">Beta</a></ul></nav>`
	say := func(tag, class, who, words string) string {
		return `<` + tag + ` class="` + class + `"><div class="byline"><a href="/u/` + who + `">` + who + `</a></div><div class="body"><p>` + words + ` The rest of it is said at some length, with commas, so that it is text.</p></div><div class="vote">12</div></` + tag + `>`
	}
	answers := say("div", "answer", "Ann", "First answer.") + say("div", "answer", "Bob", "Second answer.") + say("div", "answer", "Cid", "Third answer.")
	comments := strings.ReplaceAll(answers, "answer", "comment")
	for _, c := range []struct {
		name, in string
		main     []string
		rest     []string
	}{
		{"a question and its answers", menu + `<div id=question><h1>How?</h1>` + article + `</div><div id="answers"><h2>3 Answers</h2>` + answers + `</div><div class="sidebar">Hot questions</div>`,
			[]string{"# How?", "third paragraph", "First answer.", "Second answer.", "Third answer.", "[Bob](/u/Bob)"}, []string{"Alpha", "Hot questions"}},
		{"the posts of a forum", menu + `<div class="list">` + say("li", "row", "Ann", "First post.") + say("li", "row", "Bob", "Second post.") + say("li", "row", "Cid", "Third post.") + `</div>`,
			[]string{"First post.", "Second post.", "Third post.", "[Cid](/u/Cid)"}, []string{"Alpha"}},
		{"comments on a link", menu + `<div><h1>A link</h1><p>The link, with a few words, is elsewhere.</p></div><div class="comments">` + comments + comments + `</div>`,
			[]string{"A link", "First comment.", "Third comment.", "[Ann](/u/Ann)"}, []string{"Alpha"}},
		{"an article's comments stay behind it", menu + `<div><div class="story">` + strings.Repeat(article, 4) + `</div><div class="comments">` + comments + `</div></div>`,
			[]string{"third paragraph"}, []string{"Alpha", "First comment.", "Third comment."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			main, rest := split(t, "<!doctype html><body>"+c.in)
			for _, w := range c.main {
				if !strings.Contains(main, w) {
					t.Errorf("the main part has no %q:\n%s", w, main)
				}
			}
			for _, w := range c.rest {
				if !strings.Contains(rest, w) {
					t.Errorf("the rest has no %q:\n%s", w, rest)
				}
			}
		})
	}
}
