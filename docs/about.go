package docs

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc/internal/page"
)

// Limits of what a file says of itself, in characters.
const (
	maxField    = 300
	maxMetadata = 2000
	// maxMetadataBytes is the same as JSON, in bytes.
	maxMetadataBytes = 4 << 10
	maxWord          = 64
	maxWarnings      = 20
)

// about is what a file says of itself, cleaned.
type about struct {
	pages      int
	verified   bool // the last page loads
	format     string
	encryption string
	metadata   DocumentMetadata
	warnings   []string
	noFont     bool // the engine said WarnFontMissing of the document
}

// DocumentMetadata is what the file says of its making. It is the file's word, and
// may be wrong or addressed to the reader. Dates are RFC 3339 where they can be
// understood. Values are cut at 300 characters, and all together at 2,000, or at 4 KiB
// as JSON.
type DocumentMetadata struct {
	Title     string   `json:"title,omitempty"`            // the document's
	Author    string   `json:"author,omitempty"`           // who wrote it
	Subject   string   `json:"subject,omitempty"`          // what it is about
	Keywords  string   `json:"keywords,omitempty"`         // as its maker lists them
	Creator   string   `json:"creator,omitempty"`          // the program that it was written in
	Producer  string   `json:"producer,omitempty"`         // the program that made the PDF file
	Created   string   `json:"created,omitempty"`          // when it was made
	Modified  string   `json:"modified,omitempty"`         // when it was last changed
	Truncated []string `json:"truncated_fields,omitempty"` // the fields that were cut
}

// learn asks an open document what it is, and does not believe everything.
func learn(ctx context.Context, doc Document, size int64) (*about, error) {
	info, err := doc.Info(ctx)
	if err != nil {
		return nil, err
	}
	if err := plausible(info.Pages, info.LastLoads, size); err != nil {
		return nil, err
	}
	a := &about{
		pages:      info.Pages,
		verified:   info.LastLoads,
		format:     page.First(oneLine(info.Format), maxWord),
		encryption: page.First(oneLine(info.Encryption), maxWord),
		metadata:   trimMetadata(info.Metadata),
		warnings:   addWarnings(nil, info.Warnings),
	}
	if a.noFont = slices.Contains(a.warnings, WarnFontMissing); a.noFont {
		a.warnings = without(a.warnings, WarnFontMissing) // pages say it
	}
	if a.encryption == "" {
		a.encryption = "none"
	}
	return a, nil
}

func trimMetadata(m Metadata) DocumentMetadata {
	var d DocumentMetadata
	left, room := maxMetadata, maxMetadataBytes
	for _, f := range []struct {
		name, value string
		to          *string
		date        bool
	}{
		{"title", m.Title, &d.Title, false},
		{"author", m.Author, &d.Author, false},
		{"created", m.Created, &d.Created, true},
		{"modified", m.Modified, &d.Modified, true},
		{"subject", m.Subject, &d.Subject, false},
		{"creator", m.Creator, &d.Creator, false},
		{"producer", m.Producer, &d.Producer, false},
		{"keywords", m.Keywords, &d.Keywords, false},
	} {
		value := oneLine(f.value)
		if f.date {
			value = date(value)
		}
		*f.to = clipQuoted(page.First(value, min(left, maxField)), room)
		left -= utf8.RuneCountInString(*f.to)
		room -= len(quoted(*f.to))
		if *f.to != value {
			d.Truncated = append(d.Truncated, f.name)
		}
	}
	return d
}

// oneLine is a value as text of one line, without the padding that some engines
// leave behind it.
func oneLine(s string) string {
	s, _ = clean(s)
	return strings.Join(strings.Fields(s), " ")
}

// clipQuoted is as much of s as takes at most room bytes as JSON.
func clipQuoted(s string, room int) string {
	over := len(quoted(s)) - max(room, len(quoted("")))
	for over > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		over -= len(quoted(s[len(s)-n:])) - len(quoted(""))
		s = s[:len(s)-n]
	}
	return s
}

// dateForm is a date as PDF writes it, of which all but the year may be missing: ISO
// 32000-1, 7.9.4.
var dateForm = regexp.MustCompile(`^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?`)

func date(s string) string {
	m := dateForm.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	for i, def := range map[int]string{2: "01", 3: "01", 4: "00", 5: "00", 6: "00", 9: "00", 10: "00"} {
		if m[i] == "" {
			m[i] = def
		}
	}
	zone := "Z"
	if m[8] != "" {
		zone = m[8] + m[9] + ":" + m[10]
	}
	text := fmt.Sprintf("%s-%s-%sT%s:%s:%s%s", m[1], m[2], m[3], m[4], m[5], m[6], zone)
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return s
	}
	return text
}

var warningForm = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// addWarnings adds an engine's words that are not there yet, as far as they are
// words.
func addWarnings(all []string, more []string) []string {
	for _, w := range more {
		if len(all) < maxWarnings && warningForm.MatchString(w) && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}
