package render

import "testing"

func TestWhatIsShownFromElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"a frame by its title", `<iframe title="A talk" src="https://video.example/embed/1"></iframe>`, "[frame: A talk](https://video.example/embed/1)"},
		{"a frame by its address", `<p>See</p><iframe src="/maps/bern.html?x=1"></iframe>`, "See\n\n[frame: bern.html](/maps/bern.html?x=1)"},
		{"a frame for advertisements is none", `<p>a</p><iframe name="inline_ads" src="/t"></iframe>`, "a"},
		{"a frame that counts visitors is none", `<p>a</p><iframe src="/t" width="1" height="1"></iframe><iframe src="/u" style="display:none"></iframe>`, "a"},
		{"a frame that holds its page", `<p>a</p><iframe src="/old" srcdoc="<style>p{}</style><p>In &amp;amp; of</p><p hidden>b</p><p>the frame"></iframe>`, "a\n\nIn & of\n\nthe frame"},
		{"a film by its first source", `<video controls><source src="/a.mp4"><source src="/a.webm">Your browser is old.</video>`, "[video: a.mp4](/a.mp4)"},
		{"a film without an address is what stands for it", `<video>A film of a cat.</video>`, "A film of a cat."},
		{"a sound", `<audio src="/talk.mp3" aria-label="The talk"></audio>`, "[audio: The talk](/talk.mp3)"},
		{"an object and what it holds", `<object data="/plan.pdf"><p>The plan as <a href="/plan.txt">text</a></p></object>`, "[object: plan.pdf](/plan.pdf)\n\nThe plan as [text](/plan.txt)"},
		{"an embedded file", `<embed src="/a.swf">`, "[embed: a.swf](/a.swf)"},
		{"a part of the page that is styled apart", `<x-card><template shadowrootmode="open"><p>In the card</p></template></x-card>`, "In the card"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestLinksWithoutWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"by their label", `<p><a href="/x" aria-label="Next page"><svg></svg></a></p>`, "[Next page](/x)"},
		{"by their title", `<p><a href="/x" title="Next page"><i></i></a></p>`, "[Next page](/x)"},
		{"by their drawing's title", `<p><a href="/x"><svg><title>Next page</title></svg></a></p>`, "[Next page](/x)"},
		{"by their picture's title", `<p><a href="/x"><img alt="" title="A map" src=y></a></p>`, "[image: A map](/x)"},
		{"by where they lead", `<p><a href="/towns/bern"><img alt="" src=y></a></p>`, "[bern](/towns/bern)"},
		{"not if they lead to a picture", `<p>a <a href="/photos/bern.jpg"><img alt="" src=y></a></p>`, "a"},
		{"not if a link with words leads there", `<p><a href="/x"><img alt="" src=y></a><a href="/x">Bern</a></p>`, "[Bern](/x)"},
		{"in code they are listed below it", `<pre>see <a href="/T">T</a> and <a href="https://go.dev/x">https://go.dev/x</a></pre>`, "```\nsee T and https://go.dev/x\n```\nLinks: [T](/T)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
