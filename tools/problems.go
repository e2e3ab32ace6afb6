package tools

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// A refusal is read by a model that pays for each word, and what it quotes was
// sent by that model: all of it is bounded.
const (
	maxShown   = 60  // bytes of a value or name
	maxList    = 300 // bytes of a list of names
	maxProblem = 400 // bytes of one problem
	maxMessage = 900 // bytes of all
)

// problemList is the detail of a refusal.
type problemList struct {
	Problems []string `json:"problems"`
	More     int      `json:"more,omitempty"` // problems that are not in the list
}

// refuse is the one refusal of arguments: all problems at once, as many as fit,
// and the number of the rest.
func refuse(problems []string, more int) *arc.Error {
	var kept []string
	size := 0
	for i, p := range problems {
		p = clip(p, maxProblem)
		if size += len(p); size > maxMessage {
			more += len(problems) - i
			break
		}
		kept = append(kept, p)
	}
	m := strings.Join(kept, "; ")
	if more > 0 {
		m += fmt.Sprintf("; and %d more problems", more)
	}
	if !strings.HasSuffix(m, "?") {
		m += "."
	}
	return &arc.Error{Code: arc.InvalidArguments, Message: m, Detail: problemList{kept, more}}
}

// describe shows a value to whoever sent it.
func (v *value) describe() string {
	switch v.kind {
	case null:
		return "null"
	case boolean:
		return strconv.FormatBool(v.truth)
	case number:
		return clip(v.text, maxShown)
	case text:
		return quote(v.text)
	case array:
		return "an array"
	}
	return "an object"
}

func quote(s string) string { return string(appendText(nil, clip(s, maxShown))) }

// clip cuts s at a character, and shows that it did.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return s[:page.Cut(s, max-len("…"))] + "…"
}

// list joins names as far as they fit.
func list(names []string) string {
	size := 0
	for i, n := range names {
		if size += len(n) + len(", "); size > maxList {
			return strings.Join(names[:i], ", ") + fmt.Sprintf(" and %d more", len(names)-i)
		}
	}
	return strings.Join(names, ", ")
}

func quotient(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

// decimal writes a limit the way that a person would.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String(), maxShown)
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
