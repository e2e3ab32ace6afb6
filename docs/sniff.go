package docs

import (
	"bytes"
	"net/http"
	"strings"
)

// headBytes is how far into a file its "%PDF-" may stand.
const headBytes = 1024

func isPDF(head []byte) bool { return bytes.Contains(head, []byte("%PDF-")) }

// sniff says what a file is that is not a PDF: a word for the model, which then
// knows what to read it with.
func sniff(head []byte) string {
	if len(head) == 0 {
		return "empty"
	}
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch kind {
	case "application/zip": // word processors and electronic books too
		return "zip"
	case "application/octet-stream":
		return "unknown"
	case "text/plain":
		return "text"
	case "text/html":
		return "html"
	}
	_, sub, _ := strings.Cut(kind, "/")
	return strings.TrimPrefix(sub, "x-")
}
