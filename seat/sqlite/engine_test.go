package sqlite

import (
	"errors"
	"testing"

	"github.com/arcseat/arc/seat"
)

func TestTheEngineIsNewEnough(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{"3.51.2": false, "3.7.0": false, "3.51.3": true, "3.54.1": true, "4.0.0": true, "": false, "new": false} {
		if err := checkEngine(version); (err == nil) != ok || err != nil && !errors.Is(err, seat.StoreUnavailable) {
			t.Errorf("%q: got %v", version, err)
		}
	}
}
