// Package render writes an HTML page as text for a model: its main part first, then
// all the rest, in document order. Nothing is dropped because it looks unimportant: a
// wrong guess about the main part costs order, not content.
//
// # The text
//
// Headings are "#" lines, list items "- " or "1. " with two blanks a level, quotes
// "> ", tables rows of " | " between cells, preformatted text fenced and never
// indented, images "[image: alt]". Links are "[text](target)" in the main part, with
// targets on the page's own origin shortened to a path, and plain text in the rest. A
// heading or a cell has no other marks, so that its text stands as one piece. A bar
// in a cell is escaped only where it would read as a border.
//
// What a browser does not show is left out, unless the page shows next to nothing:
// see [Page.Notes]. Invisible characters are removed wherever they stand.
//
// # Bounds
//
// [HTML] is pure, and its time and memory are linear in the page but for what
// [golang.org/x/net/html] does with it: the text is at most six times the page, and a
// page that a tree of 512 levels cannot hold is written without one. Functions are
// safe for concurrent use. None fails.
package render
