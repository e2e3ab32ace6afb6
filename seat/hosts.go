package seat

import (
	"context"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/page"
)

// noRoom is what a transaction changes that belongs to no room, and has no other wait.
const noRoom = "/"

// Bind lets only the host with that label run a seat's turns from now on, or any where the
// label is empty: a seat moves so when its files have moved, or its machine is gone for
// good. What its jobs on the old host come to, it is not told there. In a store of
// one owner it says nothing. Codes: not_found, busy while another service has the seat in
// a turn, invalid_arguments for a label of more than 500 bytes.
func (s *Service) Bind(ctx context.Context, seat arc.SeatID, host string) error {
	if len(host) > 500 {
		return invalid("host", "the label of a host has at most 500 bytes.")
	}
	return s.update(ctx, roomOf(seat), func(tx *Tx) error {
		tx.Ring()
		row, err := seatByID(tx, seat)
		switch {
		case err != nil:
			return err
		case row == nil:
			return notFound("seat", "there is no seat %q.", page.First(string(seat), 80))
		case row.leaseTurn != "" && s.leased(tx, row):
			return busyError(row, StatusRunning)
		}
		_, err = tx.Exec(`UPDATE seat SET host = $1 WHERE id = $2`, storable(host), seat)
		return err
	})
}

// mine reports whether this host may run the seat.
func (s *Service) mine(row *seatRow) bool {
	return row.Host == "" || row.Host == s.host || !s.shared
}

// presence tells the other hosts, while a Run lasts, that this one is there.
type presence struct {
	s    *Service
	told bool
	at   time.Duration // Elapsed when it was told last
}

// show tells it when that is due: three times in a lease.
func (p *presence) show(ctx context.Context) error {
	now := p.s.clock.Elapsed()
	if !p.s.shared || p.told && now-p.at < p.s.o.Lease/3 {
		return nil
	}
	_, err := p.s.transact(ctx, noRoom, wait, func(tx *Tx) error {
		_, err := tx.Exec(`INSERT INTO host (label, until_us) VALUES ($1, $2) ON CONFLICT (label) DO UPDATE SET until_us = $2`, p.s.host, p.s.leaseEnd(tx))
		return err
	})
	if err == nil {
		p.told, p.at = true, now
	}
	return err
}
