package postgres_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
	"github.com/arcseat/arc/seat/seattest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	u := url(t)
	var names sync.Map // of the schemas, by path
	seattest.Run(t, func(t *testing.T, path string) seat.Store {
		db, err := postgres.Open(t.Context(), u, &postgres.Options{Schema: named(t, &names, path)})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}, &seattest.Options{Ops: *ops, Seed: *seed, Checks: *checks, Hosts: 5})
}

// named is the schema for a path.
func named(t *testing.T, names *sync.Map, path string) string {
	name, known := names.Load(filepath.Dir(path))
	if !known {
		name = schema(t)
		names.Store(filepath.Dir(path), name)
	}
	return name.(string)
}
