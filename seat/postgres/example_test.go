package postgres_test

import (
	"context"
	"log"

	"github.com/arcseat/arc/seat"
	"github.com/arcseat/arc/seat/postgres"
)

// Several hosts keep their seats on one server, here behind a pgbouncer, which lets
// nobody listen: what others write is heard from the server itself.
func Example() {
	ctx := context.Background()
	store, err := postgres.Open(ctx, "postgres://arc@pool.example:6432/arc", &postgres.Options{
		Listen: "postgres://arc@db.example:5432/arc",
	})
	if err != nil {
		log.Print(err) // store_unavailable, where the server cannot be reached
		return
	}
	defer store.Close()
	service, err := seat.Open(ctx, store, nil)
	if err != nil {
		log.Print(err)
		return
	}
	if _, err := service.Join(ctx, seat.Spec{Room: "demo"}); err != nil {
		log.Print(err)
	}
}
