package mcptool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// maxName is the longest name of a service's tool: providers take 64 bytes, and a client
// that reaches it through an MCP server of ours puts mcp__arc__ in front.
const maxName = 64 - len("mcp__arc__")

// hashed is how many letters of a hash end a name that was cut.
const hashed = 8

// toolName is a service's tool as a model sees it: <namespace>__<tool>, of letters,
// digits, _ and -. Other characters become _; a name that is too long is cut and ends in
// a hash of the whole. What nobody could see in a list is refused.
func toolName(namespace, tool string) (string, error) {
	if tool == "" {
		return "", errors.New("a tool without a name")
	}
	if i := strings.IndexFunc(tool, unseen); i >= 0 {
		return "", fmt.Errorf("a name with a character that cannot be seen: %.80q", tool)
	}
	full := namespace + "__" + tool
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, full)
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(full))
		name = name[:maxName-hashed-1] + "_" + hex.EncodeToString(sum[:])[:hashed]
	}
	return name, nil
}

// unseen are controls, and what hides or turns text around.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// maxDescription is in bytes.
const maxDescription = 1024

// oneLine is text from outside on one line of at most limit bytes, without what cannot
// be seen.
func oneLine(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit] // a description of megabytes is not looked through
	}
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unseen(r):
			return -1
		}
		return r
	}, text)
	return clip(strings.Join(strings.Fields(text), " "), limit)
}
