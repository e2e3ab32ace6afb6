package docs

import (
	"context"
	"slices"

	"github.com/arcseat/arc"
)

// InspectArgs are the arguments of [Library.Inspect].
type InspectArgs struct {
	Path string `json:"path" jsonschema_description:"relative path to a PDF"`
}

// InspectResult is what a document is, without its text.
type InspectResult struct {
	Path            string           `json:"path,omitempty"`            // left out of a tool's result if it is longer than 1 KiB as JSON
	SHA256          string           `json:"sha256"`                    // of the whole file that was parsed
	Size            int64            `json:"size"`                      // of the same, in bytes
	Format          string           `json:"format,omitempty"`          // as the engine names it
	PageCount       int              `json:"page_count"`                // of the document
	PageCountStatus string           `json:"page_count_status"`         // verified: the last page loads; declared: it does not
	Encryption      string           `json:"encryption"`                // "none", or the engine's name for it
	Metadata        DocumentMetadata `json:"metadata"`                  // as the file tells it; untrusted
	TextLayer       TextLayer        `json:"text_layer"`                // how much of it is text
	OCR             string           `json:"ocr"`                       // always "not_included"
	SourceChanged   bool             `json:"source_changed,omitempty"`  // since this seat last looked at the path
	PreviousSHA256  string           `json:"previous_sha256,omitempty"` // of the file that it saw there
	Warnings        []string         `json:"warnings,omitempty"`        // as WarnRepaired and the others say
	Untrusted       bool             `json:"untrusted"`                 // always: the metadata are a stranger's

	Next    *arc.Next `json:"-"` // reads the first pages
	Notices []string  `json:"-"` // for the model: what no page says
}

// TextLayer says how much of a document is text, as far as pages of it tell.
type TextLayer struct {
	Status              LayerStatus  `json:"status"`                       // what the document is, as the sampled pages tell
	Basis               string       `json:"basis"`                        // full: every page was looked at; sample; partial_sample: time was up
	SampledPages        []int        `json:"sampled_pages"`                // the pages that were looked at, counted from 1
	Counts              StatusCounts `json:"counts"`                       // of the sampled pages
	PagesWithoutText    []int        `json:"pages_without_text,omitempty"` // of the sampled ones
	PagesGarbled        []int        `json:"pages_garbled,omitempty"`      // of the sampled ones
	AverageCharacters   int          `json:"average_characters"`           // of a sampled page that could be read
	EstimatedCharacters int          `json:"estimated_characters"`         // of the document, if all pages are like those
}

// LayerStatus is what a whole document is.
type LayerStatus string

const (
	LayerText      LayerStatus = "text"       // its pages have text; some may be empty
	LayerMixed     LayerStatus = "mixed"      // some pages have text and some can't be read as text
	LayerImageOnly LayerStatus = "image_only" // what is on its pages is drawn
	LayerEmpty     LayerStatus = "empty"      // there is nothing on its pages
	LayerGarbled   LayerStatus = "garbled"    // half of what is not empty has no meaning
	LayerUnknown   LayerStatus = "unknown"    // too few pages could be looked at
)

// StatusCounts counts pages by what they are.
type StatusCounts struct {
	Text      int `json:"text"`              // StatusText
	Sparse    int `json:"sparse"`            // StatusSparse
	Garbled   int `json:"garbled"`           // StatusGarbled
	ImageOnly int `json:"image_only"`        // StatusImageOnly
	Empty     int `json:"empty"`             // StatusEmpty
	NoText    int `json:"no_text,omitempty"` // StatusNoText
	Failed    int `json:"failed"`            // StatusFailed
}

const (
	sampleSize = 12
	// leastSample is how many pages say something of a longer document.
	leastSample = 3
)

// Inspect says what a document is: its hash, its pages, what it says of itself, and
// whether its pages have text. For the last, up to 12 pages are looked at, the first
// and the last among them, evenly spread. It is quick also for a long document.
//
// Codes: as [Library.Read], without out_of_range.
func (l *Library) Inspect(ctx context.Context, seat arc.SeatID, a InspectArgs) (*InspectResult, error) {
	ctx, end, err := l.begin(ctx, l.opts.InspectTimeout)
	if err != nil {
		return nil, err
	}
	defer end()
	var res *InspectResult
	err = l.again(ctx, a.Path, func(v *view) error {
		var err error
		res, err = v.inspect(ctx, seat)
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (v *view) inspect(ctx context.Context, seat arc.SeatID) (*InspectResult, error) {
	about, err := v.about(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := v.sample(ctx, spread(about.pages, sampleSize))
	if err != nil && !spent(ctx) {
		return nil, err
	}
	res := &InspectResult{
		Path: v.path, SHA256: v.d.sha256, Size: v.d.size, Format: about.format,
		PageCount: about.pages, PageCountStatus: "declared", Encryption: about.encryption, Metadata: about.metadata,
		TextLayer: layerOf(pages, about.pages), OCR: "not_included",
		Warnings: slices.Clone(about.warnings), Untrusted: true,
		Next: &arc.Next{Tool: readName, Arguments: ReadArgs{Path: v.path, StartPage: 1}},
	}
	if about.verified {
		res.PageCountStatus = "verified"
	}
	for _, p := range pages {
		res.Warnings = addWarnings(res.Warnings, p.warnings)
		if isPlaceholder(p.text) {
			res.Warnings = addWarnings(res.Warnings, []string{WarnXFA})
			res.Notices = []string{formNotice}
		}
	}
	if previous := v.l.seen.see(seat, v.path, v.d.sha256); previous != "" {
		res.SourceChanged, res.PreviousSHA256 = true, previous
	}
	return res, nil
}

// spread is at most max page numbers of 1 to n, the first and the last among them,
// evenly spread.
func spread(n, max int) []int {
	if n <= max {
		max = n
	}
	pages := make([]int, max)
	for i := range pages {
		pages[i] = 1
		if max > 1 {
			pages[i] += int(int64(i) * int64(n-1) / int64(max-1))
		}
	}
	return pages
}

// sample looks at pages. With an error come those that there was time for, the first
// and the last before the others.
func (v *view) sample(ctx context.Context, numbers []int) ([]*pageText, error) {
	byNumber := map[int]*pageText{}
	result := func() []*pageText {
		var pages []*pageText
		for _, n := range numbers {
			if p := byNumber[n]; p != nil {
				pages = append(pages, p)
			}
		}
		return pages
	}
	for _, r := range runs(numbers) {
		got, err := v.pages(ctx, r.StartPage, r.EndPage, wantText)
		for _, p := range got {
			byNumber[p.number] = p
		}
		if err != nil {
			return result(), err
		}
		for _, p := range got {
			if p.failed != "" || p.printing >= textFrom {
				continue
			}
			if byNumber[p.number], err = v.inked(ctx, p); err != nil {
				delete(byNumber, p.number) // half known says nothing
				return result(), err
			}
		}
	}
	return result(), nil
}

// runs are the numbers as ranges, the first and the last before the others.
func runs(sorted []int) []PageRange {
	var all []PageRange
	for _, n := range sorted {
		if k := len(all) - 1; k >= 0 && all[k].EndPage == n-1 {
			all[k].EndPage = n
			continue
		}
		all = append(all, PageRange{n, n})
	}
	if k := len(all) - 1; k > 1 {
		all = slices.Insert(all[:k:k], 1, all[k])
	}
	return all
}

// layerOf says what a document of count pages is by some of them.
func layerOf(pages []*pageText, count int) TextLayer {
	t := TextLayer{Basis: "sample", SampledPages: []int{}}
	stamped, readable, chars := 0, 0, 0
	for _, p := range pages {
		t.SampledPages = append(t.SampledPages, p.number)
		switch p.status() {
		case StatusText:
			t.Counts.Text++
		case StatusSparse:
			t.Counts.Sparse++
			if p.isStamped() {
				stamped++
			}
		case StatusGarbled:
			t.Counts.Garbled++
			t.PagesGarbled = append(t.PagesGarbled, p.number)
		case StatusImageOnly:
			t.Counts.ImageOnly++
		case StatusEmpty:
			t.Counts.Empty++
		case StatusNoText:
			t.Counts.NoText++
		case StatusFailed:
			t.Counts.Failed++
			continue
		}
		switch p.status() {
		case StatusImageOnly, StatusEmpty, StatusNoText:
			t.PagesWithoutText = append(t.PagesWithoutText, p.number)
		}
		readable++
		chars += p.chars
	}
	switch want := min(count, sampleSize); {
	case len(pages) < want:
		t.Basis = "partial_sample"
	case want == count:
		t.Basis = "full"
	}
	if readable > 0 {
		t.AverageCharacters = chars / readable
		t.EstimatedCharacters = int(int64(chars) * int64(count) / int64(readable))
	}
	t.Status = t.Counts.layer(stamped)
	if len(pages) < min(count, leastSample) {
		t.Status = LayerUnknown
	}
	return t
}

// layer is what pages of these kinds make together; stamped is how many of the
// sparse ones are pictures with a few words on them.
func (c StatusCounts) layer(stamped int) LayerStatus {
	words := c.Text + c.Sparse - stamped
	drawn := c.ImageOnly + stamped
	filled := words + drawn + c.Garbled
	switch {
	case c.Failed > 0 && filled+c.Empty+c.NoText == 0:
		return LayerUnknown
	case c.Garbled > 0 && 2*c.Garbled >= filled:
		return LayerGarbled
	case c.Failed+c.NoText > 0:
		if filled == 0 {
			return LayerUnknown
		}
		return LayerMixed
	case filled == 0:
		return LayerEmpty
	case words == filled:
		return LayerText
	case drawn == filled:
		return LayerImageOnly
	}
	return LayerMixed
}
