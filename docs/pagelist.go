package docs

import (
	"fmt"
	"strings"
)

// maxRanges is how many ranges of pages are named.
const maxRanges = 20

// A PageList is page numbers, of which only so many are named.
type PageList struct {
	Count int    `json:"count"`           // of all of them
	Pages string `json:"pages,omitempty"` // as "1-3, 7", at most 20 ranges and then "…"
}

func pagesOf(sorted []int) PageList { return PageList{len(sorted), pageList(sorted)} }

// pageList is sorted page numbers as ranges.
func pageList(sorted []int) string {
	var ranges []string
	for i := 0; i < len(sorted); {
		if len(ranges) == maxRanges {
			ranges = append(ranges, "…")
			break
		}
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		switch {
		case j > i:
			ranges = append(ranges, fmt.Sprintf("%d-%d", sorted[i], sorted[j]))
		default:
			ranges = append(ranges, fmt.Sprint(sorted[i]))
		}
		i = j + 1
	}
	return strings.Join(ranges, ", ")
}
