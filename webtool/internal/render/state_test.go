package render

import (
	"strings"
	"testing"
)

func TestStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"what is ticked", `<ul><li><input type=checkbox checked> done</li><li><input type=checkbox>open</li></ul>`, "- [x] done\n- [ ] open"},
		{"what is chosen", `<label><input type=radio checked>Red</label><label><input type=radio>Blue</label>`, "(x) Red ( ) Blue"},
		{"what is filled in", `<p>Name <input value="Ann"></p>`, "Name [Ann]"},
		{"not what is unseen", `<p>a<input type=hidden value=b><input type=password value=c></p>`, "a"},
		{"how far it is", `<p>Done: <progress value=40 max=100>40 %</progress></p>`, "Done: 40 of 100"},
		{"an old price", `<p><del>$ 30</del> $ 20</p>`, "~~$ 30~~ $ 20"},
		{"an old price by its style", `<p><span style="text-decoration: line-through">$ 30</span> <span class="price">$ 20</span></p>`, "~~$ 30~~ $ 20"},
		{"a link that is struck out", `<p><del><a href="/x">a</a></del> <a href="/y"><s>b</s></a></p>`, "~~[a](/x)~~ [~~b~~](/y)"},
		{"in a cell", `<table><tr><th>a</th><th>b</th></tr><tr><td><s>1</s></td><td>2</td></tr></table>`, "| a | b |\n| --- | --- |\n| ~~1~~ | 2 |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestWhatIsSelected(t *testing.T) {
	t.Parallel()
	_, rest := split(t, "<main>"+article+"<select><option>S<option selected>M<option>L</select></main>")
	if want := "S, [x] M, L\n"; rest != want {
		t.Errorf("got %q, want %q", rest, want)
	}
}

func TestPanelsBehindOtherTabsFollowTheMainPart(t *testing.T) {
	t.Parallel()
	for name, panel := range map[string]string{"by role": `role="tabpanel" hidden`, "by class": `class="tab-pane" style="display:none"`, "hidden from those who hear": `role=tabpanel aria-hidden="true"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main, rest := split(t, "<main>"+article+`<div role="tabpanel"><p>With npm: this.</p></div><div `+panel+`><ol><li>With yarn: that.<li>Then this.</ol></div></main>`)
			if !strings.Contains(main, "With npm") || strings.Contains(main, "yarn") || rest != "1. With yarn: that.\n2. Then this.\n" {
				t.Errorf("got\n%s\n--- rest\n%s", main, rest)
			}
		})
	}
}
