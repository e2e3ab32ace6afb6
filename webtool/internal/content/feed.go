package content

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/arcseat/arc/webtool/internal/render"
	"github.com/arcseat/arc/webtool/internal/visible"
)

// isFeed reports whether the first element is a feed's.
func isFeed(body []byte) bool {
	head := bytes.TrimLeft(trimBOM(body[:min(len(body), 4096)]), " \t\r\n")
	for bytes.HasPrefix(head, []byte("<?")) || bytes.HasPrefix(head, []byte("<!")) {
		end := []byte(">")
		if bytes.HasPrefix(head, []byte("<!--")) {
			end = []byte("-->")
		}
		_, rest, ok := bytes.Cut(head, end)
		if !ok {
			return false
		}
		head = bytes.TrimLeft(rest, " \t\r\n")
	}
	for _, name := range []string{"<rss", "<feed", "<rdf:RDF", "<RDF"} {
		if rest, ok := bytes.CutPrefix(head, []byte(name)); ok && len(rest) > 0 && strings.IndexByte(" \t\r\n>", rest[0]) >= 0 {
			return true
		}
	}
	return false
}

// xml makes the text of XML: the list of a feed, or the source.
func (d *Document) xml(ctx context.Context, body []byte, o Options) {
	if d.Kind == Feed || isFeed(body) {
		if text, title, ok := xmlFeed(ctx, body, o); ok {
			d.Kind, d.Text, d.Title = Feed, text, title
			return
		}
		d.Kind = XML
	}
	d.Text = visible.Strip(string(body))
}

// An entry is one item of a feed.
type entry struct {
	title, link, date, author, file, body string
	plain                                 bool // body is no markup
}

// list writes a feed as text: the text of an entry as that of a page.
func list(ctx context.Context, title, about string, entries []entry, o Options) string {
	var b strings.Builder
	if title != "" {
		b.WriteString("# " + title + "\n")
	}
	if about != "" && about != title {
		b.WriteString("\n" + about + "\n")
	}
	for _, e := range entries {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		t := e.title
		if t == "" {
			t = e.link
		}
		if t != "" {
			b.WriteString("## " + t + "\n")
		}
		for _, s := range []struct{ before, text string }{{"", e.link}, {"", e.date}, {"by ", e.author}, {"file: ", e.file}} {
			if s.text != "" && s.text != t {
				b.WriteString(s.before + s.text + "\n")
			}
		}
		if s := e.text(ctx, o); strings.Contains(s, "\n") {
			b.WriteString("\n" + s + "\n")
		} else if s != "" && s != t {
			b.WriteString(s + "\n")
		}
	}
	return b.String()
}

// text is the text of an entry, which may be markup or not.
func (e *entry) text(ctx context.Context, o Options) string {
	if e.plain || !strings.ContainsAny(e.body, "<&") {
		return strings.TrimSpace(visible.Strip(e.body))
	}
	return render.Fragment(ctx, []byte(e.body), render.Options{URL: o.URL})
}

// xmlFeed lists RSS, RDF or Atom. Of a feed that was cut it lists the entries before
// the cut; one that cannot be read to its end is none, so that no entry is lost.
func xmlFeed(ctx context.Context, body []byte, o Options) (text, title string, ok bool) {
	dec := xml.NewDecoder(strings.NewReader(visible.Strip(string(body)))) // a control character would be an error
	dec.Strict = false
	dec.AutoClose = xml.HTMLAutoClose
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // decoded before
	var f feed
	for {
		t, err := dec.RawToken()
		if err == io.EOF || err != nil && o.Truncated {
			break
		}
		if err != nil {
			return "", "", false
		}
		switch t := t.(type) {
		case xml.StartElement:
			f.open(t)
		case xml.EndElement:
			f.close(t.Name.Local)
		case xml.CharData:
			if f.field != nil && f.mute == 0 {
				f.text(string(t))
			}
		}
	}
	if (f.field != nil || f.swallowed) && !o.Truncated { // a text without an end has swallowed what follows it
		return "", "", false
	}
	if f.entry != nil {
		f.entries = append(f.entries, *f.entry)
	}
	if f.title == "" && len(f.entries) == 0 {
		return "", "", false
	}
	return list(ctx, f.title, f.about, f.entries, o), f.title, true
}

// A feed collects what a decoder meets.
type feed struct {
	title, about string
	entries      []entry
	entry        *entry // open one
	field        *string
	name         string // of the element that field is read from
	inside       int    // elements of that name open in it
	mute         int    // elements open in it whose text is not read
	markup       bool   // its text has markup, not a second time escaped
	value        strings.Builder
	swallowed    bool // an entry has ended in a text that had not
}

func (f *feed) open(t xml.StartElement) {
	name := t.Name.Local
	if f.field != nil { // markup in a text, as Atom's xhtml
		f.nested(t)
		return
	}
	switch name {
	case "item", "entry":
		if f.entry != nil {
			f.entries = append(f.entries, *f.entry)
		}
		f.entry = &entry{}
		return
	case "link", "enclosure":
		f.link(t)
	}
	f.field = f.fieldOf(t.Name)
	if f.field != nil {
		f.name, f.inside, f.mute = name, 0, 0
		f.markup = slices.ContainsFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Local == "type" && a.Value == "xhtml" })
		f.value.Reset()
	}
}

// nested takes an element in a field: as markup in an entry's text, and of an author
// the name alone.
func (f *feed) nested(t xml.StartElement) {
	name := t.Name.Local
	if name == f.name {
		f.inside++
	}
	switch {
	case f.entry != nil && f.field == &f.entry.author:
		if f.mute > 0 || name != "name" {
			f.mute++
		}
	case f.inText():
		f.value.WriteByte('<')
		f.value.WriteString(name)
		for _, a := range t.Attr {
			switch a.Name.Local {
			case "href", "src", "alt", "title":
				f.value.WriteString(" " + a.Name.Local + `="` + html.EscapeString(a.Value) + `"`)
			}
		}
		f.value.WriteByte('>')
	default:
		f.value.WriteByte(' ')
	}
}

// inText reports whether the open field is the text of an entry.
func (f *feed) inText() bool { return f.entry != nil && f.field == &f.entry.body }

func (f *feed) text(s string) {
	if f.markup && f.inText() {
		s = html.EscapeString(s)
	}
	f.value.WriteString(s)
}

// link takes Atom's link, whose target is an attribute, and the file of an entry.
func (f *feed) link(t xml.StartElement) {
	var rel, href string
	if t.Name.Local == "enclosure" {
		rel = "enclosure"
	}
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "rel":
			rel = a.Value
		case "href", "url":
			href = a.Value
		}
	}
	if f.entry != nil && rel == "enclosure" && f.entry.file == "" {
		f.entry.file = render.Line(href)
	}
	if f.entry != nil && href != "" && (rel == "" || rel == "alternate") && f.entry.link == "" {
		f.entry.link = render.Line(href)
	}
}

// fieldOf is where the text of an element goes, nil: nowhere.
func (f *feed) fieldOf(n xml.Name) *string {
	name := n.Local
	if n.Space == "media" || n.Space == "itunes" { // a module's own title is not the entry's
		return nil
	}
	if f.entry == nil {
		switch name {
		case "title":
			return unset(&f.title)
		case "description", "subtitle":
			return unset(&f.about)
		}
		return nil
	}
	switch name {
	case "title":
		return unset(&f.entry.title)
	case "link", "guid":
		return unset(&f.entry.link)
	case "pubDate", "published", "date", "updated":
		return unset(&f.entry.date)
	case "author", "creator":
		return unset(&f.entry.author)
	case "description", "summary", "content", "encoded":
		return &f.entry.body // the longest counts
	}
	return nil
}

func unset(s *string) *string {
	if *s != "" {
		return nil
	}
	return s
}

func (f *feed) close(name string) {
	if f.entry != nil && (name == "item" || name == "entry") {
		f.entries = append(f.entries, *f.entry)
		f.swallowed = f.swallowed || f.field != nil
		f.entry, f.field = nil, nil
		return
	}
	if f.field == nil {
		return
	}
	if name == f.name {
		if f.inside == 0 {
			f.end()
			return
		}
		f.inside--
	}
	switch {
	case f.mute > 0:
		f.mute--
	case f.inText():
		f.value.WriteString("</" + name + ">")
	}
}

// end takes the text of the open field.
func (f *feed) end() {
	switch s := f.value.String(); {
	case !f.inText():
		*f.field = render.Line(s)
	case len(s) > len(*f.field):
		*f.field = s
	}
	f.field = nil
}

// jsonFeed lists a JSON feed; false if body is none.
func jsonFeed(ctx context.Context, body []byte, o Options) (text, title string, ok bool) {
	if !bytes.Contains(body[:min(len(body), 2048)], []byte("jsonfeed.org")) {
		return "", "", false
	}
	var f struct {
		Version, Title, Description string
		Items                       []json.RawMessage // whole, an item of two bytes would be hundreds
	}
	if json.Unmarshal(body, &f) != nil || !strings.Contains(f.Version, "jsonfeed.org/version") {
		return "", "", false
	}
	var entries []entry
	for _, raw := range f.Items {
		var i struct {
			URL, Title, Summary string
			Text                string `json:"content_text"`
			HTML                string `json:"content_html"`
			Published           string `json:"date_published"`
			Modified            string `json:"date_modified"`
			External            string `json:"external_url"`
			Author              struct{ Name string }
			Authors             []struct{ Name string }
			Attachments         []struct{ URL string }
		}
		if json.Unmarshal(raw, &i) != nil {
			return "", "", false
		}
		e := entry{
			title: render.Line(i.Title), link: render.Line(first(i.URL, i.External)), date: render.Line(first(i.Published, i.Modified)),
			author: render.Line(i.Author.Name), body: first(i.HTML, i.Text, i.Summary),
		}
		if len(i.Authors) > 0 {
			e.author = render.Line(i.Authors[0].Name)
		}
		if len(i.Attachments) > 0 {
			e.file = render.Line(i.Attachments[0].URL)
		}
		if e != (entry{}) {
			e.plain = i.HTML == ""
			entries = append(entries, e)
		}
	}
	title = render.Line(f.Title)
	return list(ctx, title, render.Line(f.Description), entries, o), title, true
}

func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
