package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/seat"
)

// Sit runs the turns of a seat that are queued.
type Sit struct {
	Seat arc.SeatID `json:"seat"`
}

// Kind implements river.JobArgs.
func (Sit) Kind() string { return "arc_sit" }

// Ring fires a wake of a seat when its time has come.
type Ring struct {
	Seat arc.SeatID `json:"seat"`
	Wake string     `json:"wake" river:"unique"`
}

// Kind implements river.JobArgs.
func (Ring) Kind() string { return "arc_ring" }

// sitter works at Sit.
type sitter struct {
	river.WorkerDefaults[Sit]
	seats   *seat.Service
	handler seat.Handler
}

// Timeout implements river.Worker: a turn takes as long as it takes.
func (sitter) Timeout(*river.Job[Sit]) time.Duration { return -1 }

func (s *sitter) Work(ctx context.Context, job *river.Job[Sit]) error {
	err := s.seats.Run(ctx, s.handler, &seat.RunOptions{Seats: []arc.SeatID{job.Args.Seat}, Idle: true})
	if err != nil {
		return err // River tries again
	}
	return s.schedule(ctx, job.Args.Seat)
}

// schedule lets River ring for what the seat is to be woken for. What it knows already it
// takes once.
func (s *sitter) schedule(ctx context.Context, id arc.SeatID) error {
	wakes, err := s.seats.Wakes(ctx, id)
	if err != nil {
		return err
	}
	client := river.ClientFromContext[pgx.Tx](ctx)
	for _, w := range wakes {
		if _, err := client.Insert(ctx, Ring{id, w.ID}, &river.InsertOpts{ScheduledAt: w.Due, UniqueOpts: river.UniqueOpts{ByArgs: true}}); err != nil {
			return err
		}
	}
	return nil
}

// ringer works at Ring.
type ringer struct {
	river.WorkerDefaults[Ring]
	seats *seat.Service
}

func (r *ringer) Work(ctx context.Context, job *river.Job[Ring]) error {
	remaining, err := r.seats.Wake(ctx, job.Args.Wake)
	if err != nil {
		return err
	}
	if remaining > 0 {
		return river.JobSnooze(remaining)
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, Sit{job.Args.Seat}, nil)
	return err
}
