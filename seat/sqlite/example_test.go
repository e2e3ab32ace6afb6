package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/sqlite"
)

// A store has one owner. Others may read it meanwhile.
func Example() {
	dir, err := os.MkdirTemp("", "seats")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "state", "seat.db")

	store, err := sqlite.Open(path, nil)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	service, err := seat.Open(context.Background(), store, nil)
	if err != nil {
		panic(err)
	}
	info, err := service.Join(context.Background(), seat.Spec{Room: "demo"})
	if err != nil {
		panic(err)
	}
	fmt.Println("room:", info.Room)

	_, err = sqlite.Open(path, nil)
	fmt.Println("a second owner is refused:", errors.Is(err, arc.Locked))

	reader, err := sqlite.Open(path, &sqlite.Options{ReadOnly: true})
	if err != nil {
		panic(err)
	}
	defer reader.Close()
	fmt.Println("read-only:", reader.ReadOnly())
	// Output:
	// room: demo
	// a second owner is refused: true
	// read-only: true
}
