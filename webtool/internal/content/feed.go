package content

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"

	"github.com/arcseat/arc/webtool/internal/render"
	"github.com/arcseat/arc/webtool/internal/visible"
)

// summaryMost is how much of an entry's text is shown, in bytes: a feed is a list.
const summaryMost = 2000

// feedOf is Feed for bytes whose first element is a feed's, and for a JSON feed's
// media type; empty otherwise.
func feedOf(body []byte, media string) Kind {
	head := bytes.TrimLeft(trimBOM(body[:min(len(body), 4096)]), " \t\r\n")
	for bytes.HasPrefix(head, []byte("<?")) || bytes.HasPrefix(head, []byte("<!")) {
		end := []byte(">")
		if bytes.HasPrefix(head, []byte("<!--")) {
			end = []byte("-->")
		}
		_, rest, ok := bytes.Cut(head, end)
		if !ok {
			return ""
		}
		head = bytes.TrimLeft(rest, " \t\r\n")
	}
	for _, name := range []string{"<rss", "<feed", "<rdf:RDF", "<RDF"} {
		if rest, ok := bytes.CutPrefix(head, []byte(name)); ok && len(rest) > 0 && strings.IndexByte(" \t\r\n>", rest[0]) >= 0 {
			return Feed
		}
	}
	return ""
}

// xml makes the text of XML: the list of a feed, or the source.
func (d *Document) xml(body []byte, o Options) {
	if d.Kind == Feed || feedOf(body, d.Media) != "" {
		if text, title, ok := xmlFeed(body, o.Truncated); ok {
			d.Kind, d.Text, d.Title = Feed, text, title
			return
		}
		d.Kind = XML
	}
	d.Text = visible.Strip(string(body))
}

// An entry is one item of a feed.
type entry struct{ title, link, date, summary string }

// list writes a feed as text.
func list(title, about string, entries []entry) string {
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
		for _, s := range []string{e.link, e.date, e.summary} {
			if s != "" && s != t {
				b.WriteString(s + "\n")
			}
		}
	}
	return b.String()
}

// xmlFeed lists RSS, RDF or Atom. Of a feed that was cut it lists the entries before
// the cut; one that cannot be read to its end is none, so that no entry is lost.
func xmlFeed(body []byte, truncated bool) (text, title string, ok bool) {
	dec := xml.NewDecoder(strings.NewReader(visible.Strip(string(body)))) // a control character would be an error
	dec.Strict = false
	dec.AutoClose = xml.HTMLAutoClose
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // decoded before
	var f feed
	for {
		t, err := dec.RawToken()
		if err == io.EOF || err != nil && truncated {
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
			if f.field != nil {
				f.value.Write(t)
			}
		}
	}
	if (f.field != nil || f.swallowed) && !truncated { // a text without an end has swallowed what follows it
		return "", "", false
	}
	if f.entry != nil {
		f.entries = append(f.entries, *f.entry)
	}
	if f.title == "" && len(f.entries) == 0 {
		return "", "", false
	}
	return list(f.title, f.about, f.entries), f.title, true
}

// A feed collects what a decoder meets.
type feed struct {
	title, about string
	entries      []entry
	entry        *entry // open one
	field        *string
	name         string // of the element that field is read from
	inside       int    // elements of that name open in it
	value        strings.Builder
	swallowed    bool // an entry has ended in a text that had not
}

func (f *feed) open(t xml.StartElement) {
	name := t.Name.Local
	if f.field != nil { // markup in a text, as Atom's xhtml
		if name == f.name {
			f.inside++
		}
		f.value.WriteByte(' ')
		return
	}
	switch name {
	case "item", "entry":
		if f.entry != nil {
			f.entries = append(f.entries, *f.entry)
		}
		f.entry = &entry{}
		return
	case "link":
		f.link(t)
	}
	f.field = f.fieldOf(t.Name)
	if f.field != nil {
		f.name, f.inside = name, 0
		f.value.Reset()
	}
}

// link takes Atom's link, whose target is an attribute.
func (f *feed) link(t xml.StartElement) {
	var rel, href string
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "rel":
			rel = a.Value
		case "href":
			href = a.Value
		}
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
	case "description", "summary", "content", "encoded":
		return unset(&f.entry.summary)
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
	if f.field != nil && name == f.name {
		if f.inside > 0 {
			f.inside--
			return
		}
		*f.field = cut(render.Line(f.value.String()))
		f.field = nil
		return
	}
	if f.entry != nil && (name == "item" || name == "entry") {
		f.entries = append(f.entries, *f.entry)
		f.swallowed = f.swallowed || f.field != nil
		f.entry, f.field = nil, nil
	}
}

// cut shortens a summary at a blank.
func cut(s string) string {
	if len(s) <= summaryMost {
		return s
	}
	if i := strings.LastIndexByte(s[:summaryMost], ' '); i > 0 {
		return s[:i] + " …"
	}
	return strings.ToValidUTF8(s[:summaryMost], "") + " …"
}

// jsonFeed lists a JSON feed; false if body is none.
func jsonFeed(body []byte) (text, title string, ok bool) {
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
		}
		if json.Unmarshal(raw, &i) != nil {
			return "", "", false
		}
		e := entry{
			title: render.Line(i.Title), link: render.Line(first(i.URL, i.External)), date: render.Line(first(i.Published, i.Modified)),
			summary: cut(render.Line(first(i.Summary, i.Text, i.HTML))),
		}
		if e != (entry{}) {
			entries = append(entries, e)
		}
	}
	title = render.Line(f.Title)
	return list(title, render.Line(f.Description), entries), title, true
}

func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
