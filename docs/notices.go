package docs

import "fmt"

// A cause is why what stands on a page may not be in its text, in words for the model.
type cause struct {
	one, many string // behind "page 3" and behind "pages 3-5"
}

var (
	causeFailed   = cause{"could not be read", "could not be read"}
	causeGarbled  = cause{"is partly legible", "are partly legible"}
	causePicture  = cause{"is a picture without text (no OCR)", "are pictures without text (no OCR)"}
	causeStamped  = cause{"is a picture with few words on it (no OCR)", "are pictures with few words on them (no OCR)"}
	causeNoText   = cause{"has no text, and is not read if it is a picture (no OCR)", "have no text, and are not read if they are pictures (no OCR)"}
	causeUnlooked = cause{"has few words, and may be a picture (no OCR)", "have few words, and may be pictures (no OCR)"}
	causeEmpty    = cause{"is empty", "are empty"}
)

// of is the cause as a clause about sorted pages.
func (c cause) of(sorted []int) string {
	if len(sorted) == 1 {
		return fmt.Sprintf("page %d %s", sorted[0], c.one)
	}
	return fmt.Sprintf("pages %s %s", pageList(sorted), c.many)
}

// formNotice says what a page means that has only the words of [WarnXFA].
const formNotice = "This is an XFA form, and its pages hold a placeholder in place of its words; ask the user for a printed copy of it."
