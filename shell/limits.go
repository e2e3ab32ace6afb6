package shell

import (
	"time"

	"github.com/arcseat/arc/internal/defaults"
)

// Limits of a Shell. A field that is zero has its default. What a model may ask for
// stands in the schema as well: a larger MaxTimeout, MaxBlockBudget or StdinRunes than
// the default is for callers of Exec.
type Limits struct {
	Timeout        time.Duration // of a command that names none; 0: 120 s
	MaxTimeout     time.Duration // 0: 900 s
	BlockBudget    time.Duration // how long a call waits before its command becomes a job; 0: 15 s
	MaxBlockBudget time.Duration // 0: 60 s
	Grace          time.Duration // between TERM and KILL; 0: 2 s
	PollHold       time.Duration // how long an idle shell_job waits for news; 0: 1 s; negative: not at all
	Jobs           int           // background jobs of a seat at once; 0: 4
	Foreground     int           // foreground commands of a seat at once; 0: 4
	CommandBytes   int           // 0: 1 MiB
	StdinRunes     int           // 0: 65,536
	PreviewBytes   int           // of output in the answer of shell_exec and shell_job, at most 64 KiB / 3; 0: 16 KiB
	TailBytes      int           // what shell_job's tail shows; 0: 2 KiB
	SpoolBytes     int64         // output kept of one command, from its start; 0: 256 MiB
	SpoolTail      int           // output kept of its end when it is longer; 0: 1 MiB
	KeepBytes      int64         // all spools together; 0: 2 GiB
	KeepFor        time.Duration // how long a finished spool is kept; 0: 24 h
}

func (l Limits) withDefaults() Limits {
	defaults.Positive(&l.Timeout, 120*time.Second)
	defaults.Positive(&l.MaxTimeout, 900*time.Second)
	defaults.Positive(&l.BlockBudget, 15*time.Second)
	defaults.Positive(&l.MaxBlockBudget, 60*time.Second)
	defaults.Positive(&l.Grace, 2*time.Second)
	defaults.Positive(&l.Jobs, 4)
	defaults.Positive(&l.Foreground, 4)
	defaults.Positive(&l.CommandBytes, 1<<20)
	defaults.Positive(&l.StdinRunes, 65536)
	defaults.Positive(&l.PreviewBytes, 16<<10)
	defaults.Positive(&l.TailBytes, 2<<10)
	defaults.Positive(&l.SpoolBytes, 256<<20)
	defaults.Positive(&l.SpoolTail, 1<<20)
	defaults.Positive(&l.KeepBytes, 2<<30)
	defaults.Positive(&l.KeepFor, 24*time.Hour)
	if l.PollHold == 0 {
		l.PollHold = time.Second
	}
	// An invalid byte becomes three, and the marker of what is omitted comes on top.
	l.PreviewBytes = min(l.PreviewBytes, 21<<10)
	l.TailBytes = min(l.TailBytes, 21<<10)
	return l
}

const (
	bodyBytes    = 64 << 10               // of decoded text in one answer
	pageBytes    = 64 << 10               // of raw output in one page
	commandRunes = 200                    // of a command that a record keeps
	noteRunes    = 80                     // of a command that a touch and a notice show
	settleTime   = 50 * time.Millisecond  // what a group gets to end after its shell
	lookEvery    = 250 * time.Millisecond // at most, while a group lives on without its shell
	drainTime    = 250 * time.Millisecond // what a pipe gets to end after its group
)
