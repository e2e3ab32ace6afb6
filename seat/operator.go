package seat

import (
	"context"
	"slices"

	"github.com/arcseat/arc"
)

// An Operator is who controls what seats remember. Its name stands in the room under
// what it does.
type Operator struct {
	// Name is how it is known in the rooms: 100 bytes at most, without control
	// characters. Empty: operator.
	Name string
	// Rooms are those that it may control. Nil: all.
	Rooms []string
	// Reporters tell what forgotten turns leave behind: files, commands, and what
	// else a host keeps. The seats' own steps, tasks and plans are told without.
	Reporters []Reporter
	// Jobs tells which of the jobs that forgotten turns left still run. Nil: all of
	// them are told.
	Jobs Jobs
}

// A Reporter tells what turns did that outlives them. Packages workspace and shell
// have one each, whose method it is; a host has one for each ledger of its own. The
// Kind of a Touch says where [Stays] lists it:
//
//	changed   Files: Path, ID (the change), Note (what was done, its first word), Undoable
//	command   ShellCommands: ID (the spool), Note (the command, after "exit 2: " if it has ended)
//	job       JobsRunning, as long as Operator.Jobs does not say that it has ended
//	call      MCPCalls
//	task      Tasks
//	claim     Claims
//	artifact  Artifacts
//	decision  Decisions
//	read      nowhere: it leaves nothing behind
//
// Any other kind is a host's own, and is listed in Other. What has the same kind and ID
// is told once, whoever tells it. Where a tool takes its call's id for ID, that is the
// call's in its turn: the same id in two turns is told twice.
type Reporter struct {
	Name string // by which Stays.Unknown tells that it failed

	// Touched returns soon after its ctx ends: it is waited for two seconds, and where it
	// has not answered then, the verb goes on, with what stays told as not complete. The
	// reporters of an operator are asked side by side.
	Touched func(context.Context, arc.SeatID, []arc.TurnID) ([]arc.Touch, error)
}

func (o Operator) name() string {
	if o.Name == "" {
		return "operator"
	}
	return o.Name
}

// may refuses an operator who does not control the seat's room, and one without a name
// that could be written. Codes: forbidden, invalid_arguments.
func (o Operator) may(row *seatRow) error {
	if err := checkName("an operator", o.Name); err != nil {
		return err
	}
	if o.Rooms == nil || slices.Contains(o.Rooms, row.Room) {
		return nil
	}
	return refuse(arc.Forbidden, nil, "you do not control the seats of this room; ask its operator.")
}

// find is the seat that r names, if the operator may control it.
func (o Operator) find(tx *Tx, r Ref) (*seatRow, error) {
	row, err := resolve(tx, r)
	if err == nil {
		err = o.may(row)
	}
	if err != nil {
		return nil, err
	}
	return row, nil
}
