package fakemodel

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/arcseat/arc/internal/plainjson"
)

// thought is what the model thinks before it answers, where the client lets it.
func (r *Request) thought() string { return fmt.Sprintf("After %d turns, what next?", len(r.Turns)) }

// thoughtful checks that the thinking before the model's newest calls came back with
// them: without it the model would not know why it made them.
func (r *Request) thoughtful(otherwise string) error {
	for i := len(r.Turns) - 1; r.thinks && i >= 0; i-- {
		if t := r.Turns[i]; t.Model {
			if len(t.Calls) > 0 && !t.thought {
				return errors.New(otherwise)
			}
			break
		}
	}
	return nil
}

// signature is that of a value, such as a call's arguments. A provider's holds its
// thinking; this one only shows that it came back, and with what it came with.
func signature(name string, value json.RawMessage) string {
	v, _ := plain(value)
	b, _ := plainjson.Marshal(v)
	sum := sha256.Sum256(append([]byte(name+" "), b...))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// encoded is s as JSON.
func encoded(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string
	return b
}
