package postgres_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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
	}, &seattest.Options{Ops: *ops, Seed: *seed, Checks: *checks, Hosts: 5, Process: func(t *testing.T, path string) *exec.Cmd {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(exe)
		c.Env = append(os.Environ(), childURL+"="+u, childSchema+"="+named(t, &names, path))
		return c
	}})
}

// In a child process that is a host of the model check these hold where the store is.
const (
	childURL    = "SEAT_TEST_URL"
	childSchema = "SEAT_TEST_SCHEMA"
)

// takePart is all that such a process does.
func takePart(url, schema string) {
	err := seattest.Work(os.Stdin, os.Stdout, func() (seat.Store, error) {
		return postgres.Open(context.Background(), url, &postgres.Options{Schema: schema, Connections: 1})
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
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
