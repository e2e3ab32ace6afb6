package render

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of what a table's spans may add: an empty cell costs more than the digits
// that ask for it.
const (
	maxSpan = 50
	maxCols = 400
)

// hugeCell is how much text, in bytes without blanks, a cell of a table of data
// seldom has: without headers, such cells are the columns of a layout.
const hugeCell = 800

// A row is the elements of its cells.
type row struct {
	node  *html.Node
	cells []int32
	head  bool // of headers alone
}

// table writes table i as rows of cells, or as blocks if it was used for layout.
func (r *renderer) table(i int32) {
	w := &r.w
	rows, captions := r.rows(i)
	if w.flat == 0 && r.listing(r.els[i].node, rows) {
		return
	}
	if w.cells > 0 {
		r.inner(rows)
		return
	}
	if w.flat > 0 || !r.data(i, rows) {
		w.end(2)
		r.children(i)
		w.end(2)
		return
	}
	w.end(2)
	for _, c := range captions {
		r.children(c)
		w.end(1)
	}
	grid := newGrid(rows)
	for k, row := range rows {
		r.row(row, grid)
		if k == 0 && row.head && len(rows) > 1 && grid.written > 0 {
			w.end(1)
			w.token("|" + strings.Repeat(" --- |", grid.written))
		}
	}
	w.end(2)
}

// inner writes a table in a cell, in the cell's line.
func (r *renderer) inner(rows []row) {
	w := &r.w
	for _, x := range rows {
		before := len(w.out)
		for k, c := range x.cells {
			if r.left(c) {
				continue
			}
			if k > 0 && len(w.out) > before {
				w.out = append(w.out, ',')
			}
			w.blank = true
			r.children(c)
		}
		if len(w.out) > before {
			w.closeInline()
			w.out = append(w.out, ';')
			w.blank = true
		}
	}
	if n := len(w.out) - 1; n >= 0 && w.out[n] == ';' {
		w.out = w.out[:n]
	}
}

// row writes one row. A cell that spans rows or columns leaves empty cells, so that
// what stands below a header belongs to it.
func (r *renderer) row(cells row, g *grid) {
	w := &r.w
	w.end(1)
	g.begin()
	w.anchor(attr(cells.node, "id"))
	written := false
	r.tail = r.tailOf(cells)
	for _, c := range cells.cells {
		e := &r.els[c]
		if e.is(covered) && !r.shown || !r.rests && e.is(pruned) || r.rests && c == r.from.start {
			continue
		}
		for range g.skip() {
			r.border(&written)
		}
		r.border(&written)
		w.flat++
		w.plain++
		w.cells++
		w.blank = false
		before := len(w.out)
		w.anchor(attr(e.node, "id"))
		r.children(c)
		w.closeInline()
		w.flat--
		w.plain--
		w.cells--
		w.blank = false
		if len(w.out) > before {
			w.out = append(w.out, ' ')
		}
		for range g.place(e.node) {
			r.border(&written)
		}
	}
	for range g.skip() {
		r.border(&written)
	}
	if tail := r.tail; tail > 0 {
		r.tail = 0
		for n := len(w.out); n > 0 && w.out[n-1] == ' '; n-- {
			w.out = w.out[:n-1]
		}
		r.preformatted(tail, r.els[tail].node)
		w.owed = 1
		return
	}
	if written {
		w.out = append(w.out, '|')
	}
	w.end(1)
}

// tailOf is the block of code of several lines that a row ends in: it is written below
// the row, which has no border at its end, so that its lines stand as they are. It is
// 0 if there is none.
func (r *renderer) tailOf(x row) int32 {
	k := len(x.cells) - 1
	for k >= 0 && r.els[x.cells[k]].text == 0 {
		k--
	}
	if k < 0 || r.left(x.cells[k]) {
		return 0
	}
	cell := x.cells[k]
	last := int32(0)
	for j := cell + 1; j < r.els[cell].end; j++ {
		if r.left(j) {
			j = r.els[j].end - 1
		} else if e := &r.els[j]; e.node.DataAtom == atom.Pre && e.text > 0 {
			last = j
		}
	}
	if last == 0 || !lined(r.els[last].node) {
		return 0
	}
	for n := r.els[last].node; n != r.els[cell].node; n = n.Parent {
		if n.DataAtom == atom.Table {
			return 0
		}
		for s := n.NextSibling; s != nil; s = s.NextSibling {
			if size, _ := weigh(s.Data); s.Type == html.TextNode && size > 0 || s.Type == html.ElementNode && strings.TrimSpace(textOf(s)) != "" {
				return 0
			}
		}
	}
	return last
}

// border writes the left border of a cell.
func (r *renderer) border(written *bool) {
	if !*written {
		r.w.begin()
		*written = true
	}
	r.w.out = append(r.w.out, "| "...)
}

// rows collects the rows of table i, without those of tables in it.
func (r *renderer) rows(i int32) (rows []row, captions []int32) {
	for j := i + 1; j < r.els[i].end; {
		switch r.els[j].node.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot:
			if r.left(j) {
				j = r.els[j].end
			} else {
				j++
			}
			continue
		case atom.Caption:
			captions = append(captions, j)
		case atom.Tr:
			if !r.left(j) {
				rows = append(rows, r.cells(j))
			}
		}
		j = r.els[j].end
	}
	return rows, captions
}

// left reports whether the phase leaves element j out.
func (r *renderer) left(j int32) bool {
	e := &r.els[j]
	return e.is(skipped) || e.is(covered) && !r.shown || !r.rests && e.is(pruned)
}

func (r *renderer) cells(tr int32) row {
	x := row{node: r.els[tr].node, head: true}
	for j := tr + 1; j < r.els[tr].end; j = r.els[j].end {
		switch r.els[j].node.DataAtom {
		case atom.Td:
			x.head = x.head && r.els[tr].node.Parent.DataAtom == atom.Thead
			x.cells = append(x.cells, j)
		case atom.Th:
			x.cells = append(x.cells, j)
		}
	}
	x.head = x.head && len(x.cells) > 0
	return x
}

// data reports whether table i holds data, not the parts of a layout.
func (r *renderer) data(i int32, rows []row) bool {
	switch strings.ToLower(attr(r.els[i].node, "role")) {
	case "presentation", "none":
		return false
	}
	if r.from.start > i && r.from.start < r.els[i].end {
		return false
	}
	headers, most, code := false, 0, 0
	for _, row := range rows {
		most = max(most, len(row.cells))
		for _, c := range row.cells {
			if r.els[c].node.DataAtom == atom.Th {
				headers = true
			}
		}
	}
	if most == 0 || most == 1 && !headers {
		return false
	}
	if len(rows) == 1 && !headers && r.els[i].is(blocks) && r.paragraphs(rows[0]) {
		return false
	}
	for j := i + 1; j < r.els[i].end; j++ {
		switch r.els[j].node.DataAtom {
		case atom.Table:
			if r.els[j].text > 0 && (!headers || r.els[j].text > 2*hugeCell) {
				return false
			}
		case atom.Pre, atom.Textarea:
			if lined(r.els[j].node) {
				code++
			}
		case atom.H1, atom.H2, atom.Form, atom.Article, atom.Main:
			if !headers {
				return false
			}
		case atom.Td:
			if !headers && r.els[j].text > hugeCell {
				return false
			}
		}
	}
	// Code in some rows is data; a row of nothing else, or code in each, is a layout.
	return code == 0 || headers || len(rows) > 1 && most > 1 && code < len(rows)
}

// paragraphs reports whether a cell of a row holds running text in blocks of its own:
// such a row, alone, is a layout.
func (r *renderer) paragraphs(x row) bool {
	for _, c := range x.cells {
		for j := c + 1; j < r.els[c].end; j++ {
			switch e := &r.els[j]; e.node.DataAtom {
			case atom.P, atom.Blockquote, atom.Ul, atom.Ol:
				if e.text >= passage {
					return true
				}
			}
		}
	}
	return false
}

// A grid knows which cells of a row are taken by cells of the rows above.
type grid struct {
	taken   []int // rows that the cell in each column still reaches into
	col     int
	written int // cells of the first row, empty ones too
	first   bool
	room    int // empty cells that spans may still add
}

func newGrid(rows []row) *grid {
	cells := 0
	for _, r := range rows {
		cells += len(r.cells)
	}
	return &grid{first: true, room: cells + 8}
}

func (g *grid) begin() {
	if g.col > 0 && g.first {
		g.first = false
	}
	g.col = 0
}

// skip passes the columns that are taken and returns how many they are.
func (g *grid) skip() int {
	n := 0
	for g.col < len(g.taken) && g.taken[g.col] > 0 {
		g.taken[g.col]--
		g.col++
		if g.room > 0 {
			g.room--
			n++
		}
	}
	return n
}

// place takes the columns of a cell and returns how many empty cells follow it.
func (g *grid) place(n *html.Node) int {
	cols, rows := spanOf(n, "colspan"), spanOf(n, "rowspan")
	if g.first {
		g.written++
	}
	if g.col >= maxCols {
		return 0
	}
	for range cols {
		if g.col == len(g.taken) {
			g.taken = append(g.taken, 0)
		}
		g.taken[g.col] = rows - 1
		g.col++
	}
	empty := min(cols-1, g.room)
	g.room -= empty
	if g.first {
		g.written += empty
	}
	return empty
}

func spanOf(n *html.Node, key string) int {
	s := attr(n, key)
	if s == "" {
		return 1
	}
	v, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, maxSpan)
}
