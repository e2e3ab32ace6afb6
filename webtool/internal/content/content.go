// Package content turns what a server sent into text for a model: it decides the
// kind and the charset, renders pages, lists feeds, indents JSON and passes other
// text through. Images, PDF files and binary data have a kind and no text.
//
// Every function is pure, bounded in time and memory by the size of its input (the
// text is at most six times the body), and safe for concurrent use.
package content

// A Kind is what a body turned out to be.
type Kind string

// The kinds.
const (
	Page     Kind = "page" // HTML, rendered
	Markdown Kind = "markdown"
	Text     Kind = "text"
	JSON     Kind = "json"
	XML      Kind = "xml"
	Feed     Kind = "feed"   // RSS, Atom or JSON feed, as a list of entries
	PDF      Kind = "pdf"    // no text here: the host may have a reader
	Image    Kind = "image"  // no text
	Binary   Kind = "binary" // no text: audio, video, archives, anything else
)

// Options says what is known of a body beside its bytes.
type Options struct {
	URL         string // where it came from in the end: relative links are resolved against it
	ContentType string // the header as the server sent it; empty: unknown
	Truncated   bool   // the body was cut: its last line may be half a tag or half a character
}

// A Document is a body as text.
type Document struct {
	Kind    Kind
	Media   string // the media type that was decided, without parameters
	Charset string // canonical name of the encoding that was decoded; empty for a kind without text
	Title   string // one line; empty: none
	Text    string // valid UTF-8, lines end in \n, no invisible or control characters
	MainEnd int    // byte offset in Text where the main part ends; len(Text) when nothing follows it, 0 for kinds other than Page
	Notes   []string
	Anchors map[string]int // id → byte offset in Text, for #fragments of a Page
	Refresh string         // absolute URL of a <meta refresh> of at most one second; empty: none
}

// Notes that a Document may carry.
const (
	ScriptRendered     = "script_rendered"      // the page shows little without its scripts
	HiddenTextIncluded = "hidden_text_included" // text that a browser hides at first was taken, for want of other text
	CharsetGuessed     = "charset_guessed"      // nothing declared the charset
	DecodeErrors       = "decode_errors"        // some bytes did not fit the charset and became U+FFFD
	PossibleChallenge  = "possible_challenge"   // reads like a check for robots
	PossibleLogin      = "possible_login"       // little but a form that asks for a password
	DeepMarkup         = "deep_markup"          // nested past 512 levels: all of it in document order, no main part told apart
)

// Convert makes a Document of body. It never fails: what has no text has a kind.
func Convert(body []byte, o Options) *Document {
	return &Document{Kind: Binary}
}
