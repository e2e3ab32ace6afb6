package seat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// The most lines of each kind in a digest.
const maxDigest = 100

// A known file is what a digest says of one: its newest hash, and which parts of that
// version were read.
type known struct {
	sha   string
	parts []string
}

// digest tells a model what it did in the turn before its context was dropped: the
// newest hash of each file and what of it was read, not its text; what it changed, ran
// and left running; and the end of what it had said.
func digest(steps []step, draft string, interrupted bool) string {
	files := map[string]known{}
	var effects, open []string
	for _, p := range steps {
		if !p.ended {
			open = append(open, fmt.Sprintf("- %s (call %s) had begun; it may have taken effect, so look before you repeat it", p.tool, p.call))
		}
		for _, touch := range p.touched {
			if touch.Path != "" && touch.SHA256 != "" {
				files[touch.Path] = files[touch.Path].seen(touch)
			}
			if touch.Kind != "read" {
				effects = append(effects, "- "+line(touch))
			}
		}
	}
	var b strings.Builder
	if interrupted {
		b.WriteString("[resumed] This turn was interrupted and goes on. What follows was recorded; your context is lost.")
	} else {
		b.WriteString("[checkpoint] Your context was compacted: file text is gone, hashes are still good.")
	}
	var named []string
	for _, p := range slices.Sorted(maps.Keys(files)) {
		named = append(named, "- "+p+" "+files[p].sha+files[p].read())
	}
	list(&b, "Files read or written (path sha256, what of it was read):", named)
	list(&b, "Done so far:", effects)
	list(&b, "Not known:", open)
	if draft != "" {
		b.WriteString("\nYou had said: " + said(draft))
	}
	return b.String()
}

// seen is k once touch has come. Parts of another version say nothing of this one.
func (k known) seen(touch arc.Touch) known {
	if k.sha != touch.SHA256 {
		k = known{sha: touch.SHA256}
	}
	if touch.Kind == "read" && touch.Note != "" && !slices.Contains(k.parts, touch.Note) {
		k.parts = append(slices.Clip(k.parts), touch.Note)
	}
	return k
}

func (k known) read() string {
	if len(k.parts) == 0 {
		return ""
	}
	return " (read: " + page.First(strings.Join(k.parts, ", "), 400) + ")"
}

func line(t arc.Touch) string {
	parts := []string{t.Kind}
	for _, s := range []string{t.ID, t.Path, page.First(t.Note, 200)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

func list(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n" + title)
	if more := len(lines) - maxDigest; more > 0 {
		fmt.Fprintf(b, "\n- (%d older ones are left out)", more)
		lines = lines[more:]
	}
	for _, l := range lines {
		b.WriteString("\n" + l)
	}
}

// said is the end of a draft: what a model said last is what it goes on from.
func said(draft string) string {
	if left := chars(draft) - MaxNotes; left > 0 {
		return "[…]" + draft[len(page.First(draft, left)):]
	}
	return draft
}
