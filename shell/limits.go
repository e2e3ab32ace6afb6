package shell

import (
	"cmp"
	"time"
)

// Limits of a Shell. A field that is zero has its default. What a model may ask for
// stands in the schema as well: a larger MaxTimeout, MaxBudget or StdinRunes than
// the default is for callers of Exec.
type Limits struct {
	Timeout      time.Duration // of a command that names none; 0: 120 s
	MaxTimeout   time.Duration // 0: 900 s
	BlockBudget  time.Duration // how long a call waits before its command becomes a job; 0: 15 s
	MaxBudget    time.Duration // 0: 60 s
	Grace        time.Duration // between TERM and KILL; 0: 2 s
	PollHold     time.Duration // how long an idle shell_job waits for news; 0: 1 s; negative: not at all
	Jobs         int           // background jobs of a seat at once; 0: 4
	Foreground   int           // foreground commands of a seat at once; 0: 4
	CommandBytes int           // 0: 1 MiB
	StdinRunes   int           // 0: 65,536
	PreviewBytes int           // of output in the answer of shell_exec and shell_job, at most 64 KiB / 3; 0: 16 KiB
	TailBytes    int           // what shell_job's tail shows; 0: 2 KiB
	SpoolBytes   int64         // output kept of one command, from its start; 0: 256 MiB
	SpoolTail    int           // output kept of its end when it is longer; 0: 1 MiB
	SpoolsBytes  int64         // all spools together; 0: 2 GiB
	Keep         time.Duration // how long a finished spool is kept; 0: 24 h
}

func (l Limits) withDefaults() Limits {
	l.Timeout = cmp.Or(max(l.Timeout, 0), 120*time.Second)
	l.MaxTimeout = cmp.Or(max(l.MaxTimeout, 0), 900*time.Second)
	l.BlockBudget = cmp.Or(max(l.BlockBudget, 0), 15*time.Second)
	l.MaxBudget = cmp.Or(max(l.MaxBudget, 0), 60*time.Second)
	l.Grace = cmp.Or(max(l.Grace, 0), 2*time.Second)
	l.Jobs = cmp.Or(max(l.Jobs, 0), 4)
	l.Foreground = cmp.Or(max(l.Foreground, 0), 4)
	l.CommandBytes = cmp.Or(max(l.CommandBytes, 0), 1<<20)
	l.StdinRunes = cmp.Or(max(l.StdinRunes, 0), 65536)
	l.PreviewBytes = cmp.Or(max(l.PreviewBytes, 0), 16<<10)
	l.TailBytes = cmp.Or(max(l.TailBytes, 0), 2<<10)
	l.SpoolBytes = cmp.Or(max(l.SpoolBytes, 0), 256<<20)
	l.SpoolTail = cmp.Or(max(l.SpoolTail, 0), 1<<20)
	l.SpoolsBytes = cmp.Or(max(l.SpoolsBytes, 0), 2<<30)
	l.Keep = cmp.Or(max(l.Keep, 0), 24*time.Hour)
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
