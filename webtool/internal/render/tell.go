package render

import "strings"

// challenges reports whether a page is a check for robots. The words are those of the
// services that most sites buy; a page of more text than such a check has is none.
func challenges(p *Page) bool {
	if len(p.Text) > 4000 {
		return false
	}
	s := strings.ToLower(p.Title + "\n" + p.Text)
	for _, words := range []string{
		"just a moment...", "attention required! | cloudflare", "checking your browser", "verify you are human", "verifying you are human",
		"are you a robot", "are you human", "unusual traffic from", "complete the security check", "enable javascript and cookies to continue",
		"bots use duckduckgo too", "press & hold to confirm", "access to this page has been denied", "ddos protection by",
	} {
		if strings.Contains(s, words) {
			return true
		}
	}
	return false
}
