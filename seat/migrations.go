package seat

import (
	"context"
	"errors"
	"fmt"

	"github.com/arcseat/arc"
)

// migrations take a store forward, one version each, and are never changed once
// they were released. Times are microseconds of UTC, truths are 0 and 1.
var migrations = []string{`
CREATE TABLE room (
	id TEXT PRIMARY KEY,
	run_id TEXT NOT NULL,
	runs BIGINT NOT NULL,
	created_us BIGINT NOT NULL
);
CREATE TABLE run (
	id TEXT PRIMARY KEY,
	room_id TEXT NOT NULL,
	n BIGINT NOT NULL,
	finished BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE seat (
	id TEXT PRIMARY KEY,
	room_id TEXT NOT NULL,
	membership_id TEXT NOT NULL,
	agent_id TEXT NOT NULL,
	managed BIGINT NOT NULL,
	history_revision BIGINT NOT NULL DEFAULT 1,
	turns BIGINT NOT NULL DEFAULT 0,
	live_total BIGINT NOT NULL DEFAULT 0,
	excluded_total BIGINT NOT NULL DEFAULT 0,
	lease_turn TEXT NOT NULL DEFAULT '',
	lease_owner TEXT NOT NULL DEFAULT '',
	lease_gen BIGINT NOT NULL DEFAULT 0,
	lease_until_us BIGINT NOT NULL DEFAULT 0,
	UNIQUE (room_id, membership_id)
);
CREATE INDEX seat_agent ON seat (room_id, agent_id) WHERE managed = 1;
CREATE INDEX seat_managed ON seat (room_id, membership_id) WHERE managed = 1;
CREATE TABLE begun (
	seat_id TEXT PRIMARY KEY
);
CREATE TABLE message (
	id INTEGER PRIMARY KEY,
	room_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	author TEXT NOT NULL,
	seat_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	body TEXT NOT NULL,
	meta TEXT NOT NULL,
	at_us BIGINT NOT NULL,
	parent BIGINT NOT NULL DEFAULT 0,
	state TEXT NOT NULL DEFAULT '',
	assignee TEXT NOT NULL DEFAULT '',
	stub_reason TEXT NOT NULL DEFAULT '',
	stub_by TEXT NOT NULL DEFAULT '',
	stub_us BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX message_room ON message (room_id, id);
CREATE INDEX message_parent ON message (parent) WHERE parent <> 0;
CREATE TABLE turn (
	id TEXT PRIMARY KEY,
	seat_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	seq BIGINT NOT NULL,
	status TEXT NOT NULL,
	live BIGINT NOT NULL DEFAULT 0,
	excluded BIGINT NOT NULL DEFAULT 0,
	superseded_by TEXT NOT NULL DEFAULT '',
	origin TEXT NOT NULL,
	mode BIGINT NOT NULL,
	prompt TEXT NOT NULL,
	prompt_sha TEXT NOT NULL,
	reply_sha TEXT NOT NULL DEFAULT '',
	reply_version BIGINT NOT NULL DEFAULT 0,
	edited_by TEXT NOT NULL DEFAULT '',
	source_message_id BIGINT NOT NULL,
	reply_message_id BIGINT NOT NULL DEFAULT 0,
	max_steps BIGINT NOT NULL,
	attempt BIGINT NOT NULL,
	parked BIGINT NOT NULL DEFAULT 0,
	queue_id TEXT NOT NULL,
	ended TEXT NOT NULL DEFAULT '',
	end_call TEXT NOT NULL DEFAULT '',
	end_text TEXT NOT NULL DEFAULT '',
	end_data TEXT NOT NULL DEFAULT '',
	draft TEXT NOT NULL DEFAULT '',
	requests BIGINT NOT NULL DEFAULT 0,
	checkpoint_request BIGINT NOT NULL DEFAULT 0,
	checkpoint_step BIGINT NOT NULL DEFAULT 0,
	steps BIGINT NOT NULL DEFAULT 0,
	started_us BIGINT NOT NULL,
	committed_us BIGINT NOT NULL DEFAULT 0,
	UNIQUE (seat_id, seq)
);
CREATE INDEX turn_window ON turn (seat_id, excluded, seq) WHERE live = 1;
CREATE INDEX turn_source ON turn (source_message_id) WHERE source_message_id <> 0;
CREATE TABLE reply_version (
	turn_id TEXT NOT NULL,
	n BIGINT NOT NULL,
	text TEXT NOT NULL,
	by_name TEXT NOT NULL,
	at_us BIGINT NOT NULL,
	PRIMARY KEY (turn_id, n)
);
CREATE TABLE step (
	turn_id TEXT NOT NULL,
	call_id TEXT NOT NULL,
	n BIGINT NOT NULL,
	tool TEXT NOT NULL,
	ended BIGINT NOT NULL DEFAULT 0,
	failed TEXT NOT NULL DEFAULT '',
	touched TEXT NOT NULL DEFAULT '',
	open_jobs BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (turn_id, call_id)
);
CREATE INDEX step_jobs ON step (turn_id) WHERE open_jobs = 1;
CREATE TABLE queue (
	id TEXT PRIMARY KEY,
	seat_id TEXT NOT NULL,
	n BIGINT NOT NULL,
	origin_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	origin TEXT NOT NULL,
	mode BIGINT NOT NULL,
	prompt TEXT NOT NULL,
	source_message_id BIGINT NOT NULL,
	wake_id TEXT NOT NULL DEFAULT '',
	max_steps BIGINT NOT NULL,
	state TEXT NOT NULL,
	turn_id TEXT NOT NULL DEFAULT '',
	at_us BIGINT NOT NULL,
	UNIQUE (seat_id, origin_id)
);
CREATE INDEX queue_waiting ON queue (seat_id, n) WHERE state = 'queued';
CREATE INDEX queue_wake ON queue (wake_id) WHERE state = 'queued' AND wake_id <> '';
CREATE INDEX queue_source ON queue (source_message_id) WHERE state = 'queued' AND source_message_id <> 0;
CREATE INDEX queue_turn ON queue (turn_id) WHERE turn_id <> '';
CREATE TABLE wake (
	id TEXT PRIMARY KEY,
	seat_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	call_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	target TEXT NOT NULL,
	note TEXT NOT NULL,
	after_us BIGINT NOT NULL,
	due_us BIGINT NOT NULL,
	state TEXT NOT NULL,
	outcome TEXT NOT NULL DEFAULT '',
	fired_us BIGINT NOT NULL DEFAULT 0,
	late_us BIGINT NOT NULL DEFAULT 0,
	UNIQUE (turn_id, call_id)
);
CREATE INDEX wake_due ON wake (due_us) WHERE state = 'armed';
CREATE INDEX wake_seat ON wake (seat_id, state);
CREATE INDEX wake_run ON wake (run_id) WHERE state = 'armed';
CREATE INDEX wake_finished ON wake (run_id) WHERE outcome = 'run_finished';
CREATE INDEX wake_target ON wake (target) WHERE state = 'armed';
CREATE TABLE notes (
	seat_id TEXT NOT NULL,
	version BIGINT NOT NULL,
	turn_id TEXT NOT NULL,
	call_id TEXT NOT NULL,
	text TEXT NOT NULL,
	live BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	PRIMARY KEY (seat_id, version)
);
CREATE INDEX notes_turn ON notes (turn_id);
CREATE INDEX notes_live ON notes (seat_id, version) WHERE live = 1;
CREATE TABLE notice (
	id TEXT PRIMARY KEY,
	seat_id TEXT NOT NULL,
	n BIGINT NOT NULL,
	kind TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	text TEXT NOT NULL,
	told_in TEXT NOT NULL DEFAULT '',
	done BIGINT NOT NULL DEFAULT 0,
	at_us BIGINT NOT NULL
);
CREATE INDEX notice_pending ON notice (seat_id, n) WHERE done = 0;
CREATE INDEX notice_edited ON notice (turn_id) WHERE kind = 'edited';
CREATE INDEX notice_told ON notice (told_in) WHERE told_in <> '';
CREATE TABLE idem (
	seat_id TEXT NOT NULL,
	request_id TEXT NOT NULL,
	verb TEXT NOT NULL,
	args TEXT NOT NULL,
	response TEXT NOT NULL,
	at_us BIGINT NOT NULL,
	PRIMARY KEY (seat_id, request_id)
);
CREATE INDEX idem_age ON idem (seat_id, at_us);
CREATE TABLE plan (
	id TEXT PRIMARY KEY,
	seat_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	call_id TEXT NOT NULL,
	revision BIGINT NOT NULL,
	summary TEXT NOT NULL,
	body TEXT NOT NULL,
	state TEXT NOT NULL,
	task_id BIGINT NOT NULL DEFAULT 0,
	at_us BIGINT NOT NULL
);
CREATE INDEX plan_seat ON plan (seat_id, revision);
CREATE INDEX plan_submitted ON plan (seat_id) WHERE state = 'submitted';
CREATE TABLE outbox (
	id TEXT PRIMARY KEY,
	n BIGINT NOT NULL,
	room_id TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	body TEXT NOT NULL
);
CREATE INDEX outbox_order ON outbox (n);
CREATE INDEX outbox_turn ON outbox (turn_id) WHERE turn_id <> '';
CREATE TABLE counter (
	name TEXT PRIMARY KEY,
	value BIGINT NOT NULL
);
INSERT INTO counter VALUES ('order', 0);
`, `
ALTER TABLE seat ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE wake ADD COLUMN host TEXT NOT NULL DEFAULT '';
CREATE TABLE host (
	label TEXT PRIMARY KEY,
	until_us BIGINT NOT NULL
);
`, `
ALTER TABLE seat ADD COLUMN stop_turn TEXT NOT NULL DEFAULT '';
ALTER TABLE room ADD COLUMN mirror_owner TEXT NOT NULL DEFAULT '';
ALTER TABLE room ADD COLUMN mirror_until_us BIGINT NOT NULL DEFAULT 0;
DROP INDEX outbox_order;
CREATE INDEX outbox_room ON outbox (room_id, n);
`}

// migrate brings the store to this version. A newer one is left alone.
func migrate(ctx context.Context, s Store) error {
	version := func(tx *Tx) (int, error) {
		v := 0
		_, err := tx.one(`SELECT COALESCE(MAX(version), 0) FROM arc_seat_version`, nil, &v)
		return v, err
	}
	check := func(v int) error {
		if v < 0 || v > len(migrations) {
			return Unavailable("version", nil,
				"the store has version %d and this program knows %d; use the newer program.", v, len(migrations))
		}
		return nil
	}
	if s.ReadOnly() {
		return s.View(ctx, func(tx *Tx) error {
			v, err := version(tx)
			if err == nil && v < len(migrations) {
				err = fmt.Errorf("version %d", v)
			}
			if err != nil {
				return Unavailable("version", nil,
					"this is no store of seats, or one of an older version; open it once to be written.")
			}
			return check(v)
		})
	}
	// A store that others work with is not held up by who only joins them.
	current := false
	err := s.View(ctx, func(tx *Tx) error {
		v, err := version(tx)
		current = err == nil && v == len(migrations)
		return err
	})
	if err == nil && current || outOfReach(err) || errors.Is(err, arc.Locked) {
		return err
	}
	return s.Update(ctx, func(tx *Tx) error {
		if err := tx.Script(`CREATE TABLE IF NOT EXISTS arc_seat_version (version BIGINT PRIMARY KEY)`); err != nil {
			return err
		}
		v, err := version(tx)
		if err == nil {
			err = check(v)
		}
		if err != nil {
			return err
		}
		for ; v < len(migrations); v++ {
			if err := tx.Script(migrations[v]); err != nil {
				return fmt.Errorf("migration to version %d: %w", v+1, err)
			}
			if _, err := tx.Exec(`INSERT INTO arc_seat_version VALUES ($1)`, v+1); err != nil {
				return err
			}
		}
		return nil
	})
}
