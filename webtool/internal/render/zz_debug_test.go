package render

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"golang.org/x/net/html"
)

func TestZZ(t *testing.T) {
	fn := os.Getenv("ZZ")
	if fn == "" {
		return
	}
	b, _ := os.ReadFile(fn)
	root, _ := html.Parse(bytes.NewReader(b))
	body := find(root, "body")
	tr := newTree(body, len(b), false)
	d := func(i int32) string {
		e := tr.els[i]
		return fmt.Sprintf("%d <%s id=%q class=%.90q> text %d own %d hint %d flags %b", i, e.node.Data, attr(e.node, "id"), attr(e.node, "class"), e.text, e.own(), hintOf(e.node), e.flags)
	}
	fmt.Println("BODY", d(0))
	n := tr.named()
	if n >= 0 {
		fmt.Println("NAMED", d(n), tr.reference(n))
		in, of := tr.score(n)
		if in >= 0 {
			fmt.Println("INNER", d(in), of)
		}
	}
	m := tr.choose()
	tr.prune(m)
	fmt.Println("CHOSEN")
	for p := m.start; p >= 0; p = tr.els[p].parent {
		fmt.Println("   ", d(p))
	}
	for i := m.start; i < m.end; i++ {
		if tr.els[i].is(pruned) && tr.els[i].text*50 > tr.els[m.start].text {
			fmt.Println("PRUNED", d(i))
		}
	}
	// the biggest passages' chain
	best := int32(0)
	for i := range tr.els {
		if tr.isPassage(int32(i)) && tr.els[i].own() > tr.els[best].own() || best == 0 {
			best = int32(i)
		}
	}
	fmt.Println("BIGGEST PASSAGE")
	for p := best; p >= 0; p = tr.els[p].parent {
		fmt.Println("   ", d(p))
	}
}
