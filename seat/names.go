package seat

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc/internal/page"
)

// maxName is the longest name of a room, a membership, an agent, an author, an operator
// or a kind of message, in bytes.
const maxName = 100

// nameFault says why nobody can have this name, empty if it is one.
func nameFault(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is blank"
	case len(name) > maxName:
		return fmt.Sprintf("has more than %d bytes", maxName)
	case !utf8.ValidString(name):
		return "is no UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has control characters"
	}
	return ""
}

// checkName refuses a name that could not be kept as it is. One that is left out is the
// caller's business. Code: invalid_arguments.
func checkName(what, name string) error {
	if name == "" {
		return nil
	}
	if why := nameFault(name); why != "" {
		return invalid(what, "%q is no name of %s: it %s.", page.First(strings.ToValidUTF8(name, "\uFFFD"), 40), what, why)
	}
	return nil
}

// keyFault says why a request or an origin id cannot be one, empty if it can.
func keyFault(id string) string {
	switch {
	case len(id) > maxRequestID:
		return fmt.Sprintf("has at most %d bytes", maxRequestID)
	case !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		return "is UTF-8 without NUL"
	}
	return ""
}
