package main

import (
	"encoding/base64"
	"encoding/json"

	"github.com/arcseat/arc"
)

// keptImages are the newest pictures of a conversation. Older ones are left out of
// what is sent: each costs as much as pages of text, and the screen has changed.
const keptImages = 10

// leftOut stands in the place of an older picture.
const leftOut = "[an earlier picture, left out]"

// An album knows which messages of a conversation have pictures.
type album []illustrated

// illustrated is a message with pictures, and what it is without.
type illustrated struct {
	at, images int
	plain      json.RawMessage
}

// add notes that message at has pictures, and takes those of older messages out of the
// conversation.
func (a *album) add(messages []json.RawMessage, at, images int, plain json.RawMessage) {
	*a = append(*a, illustrated{at, images, plain})
	n := 0
	for i := len(*a) - 1; i >= 0; i-- {
		n += (*a)[i].images
		if n > keptImages && i < len(*a)-1 {
			for _, old := range (*a)[:i+1] {
				messages[old.at] = old.plain
			}
			*a = (*a)[i+1:]
			return
		}
	}
}

// base64Of is a picture as both wire formats have it.
func base64Of(m arc.Image) string { return base64.StdEncoding.EncodeToString(m.Data) }
