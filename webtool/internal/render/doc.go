// Package render writes an HTML page as text for a model: its main part first, then
// all the rest, in document order. Nothing is dropped because it looks unimportant: a
// wrong guess about the main part costs order, not content.
//
// # The text
//
// Headings are "#" lines, list items "- " or "1. " with two blanks a level, quotes
// "> ", tables rows of " | " between cells, preformatted text fenced and never
// indented, images "[image: alt]", frames and films "[frame: title](target)". Links are
// "[text](target)" in the main part, with targets on the page's own origin shortened to
// a path, letters of any script as they are read, and a query left out as "?…" where the
// target is longer than 200 bytes; in the rest they are plain text, but for those in
// running text. Links in code are listed below it. A heading or a cell has no other
// marks, so that its text stands as one piece. A bar in a cell is escaped only where it
// would read as a border. Lines of code in a cell are joined by " ⏎ ", or stand below the
// row if it ends in them. Formulas are their TeX, or (a)/(b), sqrt(x), x^2 and x_i; what
// is ticked is "[x]", what is struck out "~~so~~".
//
// The main part is what the page's author has marked as such, or the largest piece of
// running text; of a question, a forum or comments on a link it is the whole thread. A
// heading outside it is shown at its top if the page's title does not tell it.
//
// What a browser does not show is left out, unless the page shows next to nothing: what
// the attributes or the own style of an element hide, by display or visibility or in a way
// that leaves nothing to see, such as letters without size or a place far outside.
//
// What a browser does not show at first follows the main part, and [Page.Revealed] tells
// of it: what has no opacity or no height, which scripts give it; what the page's style
// sheets hide, as far as their selectors are of one element; panels behind other tabs. So
// does what is cut to nothing for those who hear the page, of which a few words stay where
// they stand, as parts do that streaming left hidden. Where that is much of the text it is
// in its order. Style sheets in files of their own are not read, and colors are compared
// only within one element's own style.
//
// A formula's hidden source is shown. The numbers of code's lines are left out, and links
// to a heading in it, and a wiki's links to its editor. Invisible characters are removed
// wherever they stand.
//
// # Bounds
//
// [HTML] is pure, and its time and memory are linear in the page but for what
// [golang.org/x/net/html] does with it: the text is at most six times the page, and a
// page that a tree of 512 levels cannot hold is written without one. Functions are
// safe for concurrent use. None fails.
package render
