package seattest

import (
	"context"
	"errors"

	"github.com/arcseat/arc/seat"
)

// lossy is a store that loses every transaction that writes once, as one on a server does
// whose connections break, and makes it again.
type lossy struct{ seat.Store }

func (l lossy) Update(ctx context.Context, fn func(*seat.Tx) error) error {
	lost := errors.New("the connection was lost")
	err := l.Store.Update(ctx, func(tx *seat.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return lost
	})
	if !errors.Is(err, lost) {
		return err
	}
	return l.Store.Update(ctx, fn)
}
