package docs

import "strings"

// isPlaceholder reports whether text is the page that a form in XFA shows to a
// program that cannot fill it: the words of the form are nowhere in the pages.
func isPlaceholder(text string) bool {
	return len(text) < 4000 && strings.Contains(text, "Please wait") &&
		strings.Contains(strings.Join(strings.Fields(text), " "), "If this message is not eventually replaced")
}
