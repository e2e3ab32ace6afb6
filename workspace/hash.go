package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/arcseat/arc"
)

// SHA256 is the hash of a whole file's raw bytes in lower-case hex.
type SHA256 string

func hashOf(b []byte) SHA256 {
	sum := sha256.Sum256(b)
	return SHA256(hex.EncodeToString(sum[:]))
}

// parseHash checks a hash as a model wrote it.
func parseHash(s string) (SHA256, error) {
	h := strings.ToLower(strings.TrimSpace(s))
	if b, err := hex.DecodeString(h); err != nil || len(b) != sha256.Size {
		return "", &arc.Error{
			Code:    arc.InvalidArguments,
			Message: fmt.Sprintf("expected_sha256 is %q, not 64 hex digits; copy it from the last read or change of the file.", clip(s, 80)),
			Detail:  map[string]string{"reason": "expected_sha256"},
		}
	}
	return SHA256(h), nil
}
