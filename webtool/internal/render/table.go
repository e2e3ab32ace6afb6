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

// row writes one row. A cell that spans rows or columns leaves empty cells, so that
// what stands below a header belongs to it.
func (r *renderer) row(cells row, g *grid) {
	w := &r.w
	w.end(1)
	g.begin()
	w.anchor(attr(cells.node, "id"))
	written := false
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
	if written {
		w.out = append(w.out, '|')
	}
	w.end(1)
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
	headers, most := false, 0
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
	for j := i + 1; j < r.els[i].end; j++ {
		switch r.els[j].node.DataAtom {
		case atom.Table:
			if r.els[j].text > 0 {
				return false
			}
		case atom.Pre, atom.Textarea:
			if strings.Contains(strings.TrimSpace(textOf(r.els[j].node)), "\n") {
				return false
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
	return true
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
