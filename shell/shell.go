package shell

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/proc"
	"github.com/arcseat/arc/internal/retain"
	"github.com/arcseat/arc/internal/statedir"
)

// Options of Open. The zero value is a good start.
type Options struct {
	// State is the host's state directory of the project, outside of it; spools
	// go to its folder "spool", made if it is missing and closed to other users.
	// Default: a folder of the user's state directory, named by a hash of the
	// project's path.
	State string

	// Notify takes the notice of each background job that has ended, one at a time, a
	// seat's in the order in which its jobs ended, and may be called before Open has
	// returned, with what earlier hosts have left. It may take its time: notices
	// wait, none is dropped, and Close waits for the last; so it must not call Close.
	//
	// An error, or a panic, says that the notice was not taken, as by a store that is
	// locked. It stays on the job's record and is told again: after a quarter of a second,
	// then ever more seldom, in the end once a minute, once more by Close, and after that,
	// or if the host is killed, by the next Open. Those of its seat wait behind it. A seat that
	// can never be told is none to return an error for. If the host was killed while Notify
	// ran, nobody knows whether it was taken, and it is told again, with the same JobID.
	// Nil: nobody is told.
	Notify func(Notice) error

	// Reaches reports whether Notify reaches a seat. The notice of a job that ended
	// with its host is kept for the Open whose Notify reaches the job's seat. Nil: it
	// reaches all, if there is a Notify.
	Reaches func(arc.SeatID) bool

	// Runner starts the commands. Nil: HostRunner{}, on the host and unconfined.
	Runner Runner

	// Env is added to what commands get: "NAME=value", or "NAME" for the host's
	// own value. It wins over everything else.
	Env []string

	// InheritAll gives commands the host's whole environment, its keys included.
	InheritAll bool

	// Secrets are values that no preview, page, notice or record of a command shows:
	// each of their bytes becomes an asterisk. It is asked at every look, from several
	// goroutines, so that it may tell of new ones. A value of fewer than 4 bytes is
	// passed over; of one that has several lines each that has 8 or more bytes counts as
	// well. The spool keeps raw bytes, and progress shows them; of a command's own text
	// those are covered that were known when it began. It guards against an accident:
	// whoever can run a command can write a value in another form. Nil: none.
	Secrets func() []string

	// Sweep says what becomes of daemons and other processes that have left their
	// command. Default: SweepOnShutdown.
	Sweep Sweep

	// Limits are the limits; each field says its default.
	Limits Limits

	// Logger gets what no caller is told. Nil: discarded.
	Logger *slog.Logger
}

// Shell runs commands for the seats of one project. Its methods may be used from
// many goroutines.
type Shell struct {
	dir      string
	runner   Runner
	confined string // how, in the runner's words
	env      []string
	secrets  func() []string
	sweep    Sweep
	limits   Limits
	log      *slog.Logger
	store    *retain.Store
	watch    *proc.Watch
	looking  bool // records are read, and none is written
	notices  *notices
	tools    []arc.Tool // made once: a session asks for them at every turn

	unwatched sync.Once  // it is told once
	adopting  sync.Mutex // one lost run after the other

	mu      sync.Mutex
	runs    map[string]*run // by spool id; own ones, and finished ones of others
	active  map[arc.SeatID]*use
	turns   map[arc.SeatID]arc.TurnID // the last turn that ran a command
	shown   map[string]int64          // by spool id, how far looks at jobs of other hosts have come
	forgot  time.Time                 // when memory was last tidied
	closing bool
	stopped chan struct{}  // closed when Close begins
	hurry   chan struct{}  // closed when Close has no time left
	working sync.WaitGroup // supervisors, and readers of pipes that outlive their job

	swept    chan struct{} // closed when Close has ended all processes
	closed   chan struct{} // closed when Close is done
	closeErr error
}

// use is what a seat has running.
type use struct {
	foreground []string      // spool ids
	jobs       []string      // job ids
	freed      chan struct{} // closed, and replaced, when a job's slot is free
}

// Open opens the shell of the project in dir. The caller closes it.
func Open(dir string, o *Options) (*Shell, error) {
	if o == nil {
		o = &Options{}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("shell: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("shell: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("shell: %s is not a directory", abs)
	}
	s := &Shell{
		dir: abs, runner: o.Runner, secrets: o.Secrets, sweep: o.Sweep, limits: o.Limits.withDefaults(), log: o.Logger,
		runs: map[string]*run{}, shown: map[string]int64{}, active: map[arc.SeatID]*use{}, turns: map[arc.SeatID]arc.TurnID{},
		stopped: make(chan struct{}), hurry: make(chan struct{}), swept: make(chan struct{}), closed: make(chan struct{}),
	}
	if s.runner == nil {
		s.runner = HostRunner{}
	}
	if c, ok := s.runner.(Confiner); ok {
		s.confined = c.Confined()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var held []string
	s.env, held = environment(os.Environ(), o)
	if len(held) > 0 {
		s.log.Info("commands do not see these variables of the host", "names", held)
	}
	s.notices = &notices{notify: o.Notify, reaches: o.Reaches, log: s.log, stopped: s.stopped}
	s.tools = s.makeTools()
	if err := s.openStore(o.State); err != nil {
		return nil, fmt.Errorf("shell: %w", err)
	}
	return s, nil
}

func (s *Shell) openStore(state string) error {
	if state == "" {
		var err error
		if state, err = statedir.Default(s.dir); err != nil {
			return err
		}
	}
	store, err := retain.Open(filepath.Join(state, "spool"), &retain.Options{Bytes: s.limits.KeepBytes, Age: s.limits.KeepFor, Keep: s.named})
	if err != nil {
		return err
	}
	s.store = store
	s.watch = s.newWatch()
	s.takeOver(store.All())
	return nil
}

// named reports whether a spool belongs to the turn that its seat is in, as far
// as the shell can know. The store asks with its own lock held.
func (s *Shell) named(e *retain.Entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.Origin.Turn != "" && s.turns[e.Origin.Seat] == e.Origin.Turn
}

// Close ends all commands and jobs, waits for their last notices, and lets go of
// the state directory. What was kept stays readable. If ctx ends first, the jobs
// are killed without their grace, and the error is that of ctx.
func (s *Shell) Close(ctx context.Context) error {
	s.mu.Lock()
	first := !s.closing
	if first {
		s.closing = true
		close(s.stopped)
		for _, r := range s.runs {
			r.stop(reasonShutdown)
		}
		go s.finishClosing()
	}
	s.mu.Unlock()
	select {
	case <-s.closed:
		return s.closeErr // whatever became of ctx since
	default:
	}
	select {
	case <-s.closed:
		return s.closeErr
	case <-ctx.Done():
	}
	s.mu.Lock()
	select {
	case <-s.hurry:
	default:
		close(s.hurry)
	}
	s.mu.Unlock()
	<-s.swept // bounded: nothing waits for a grace any more
	return ctx.Err()
}

func (s *Shell) finishClosing() {
	s.working.Wait()
	s.sweepUp()
	s.watch.Close()
	close(s.swept)
	s.notices.wait()
	s.closeErr = s.store.Close()
	close(s.closed)
}

// Job is what a host sees of a background job.
type Job struct {
	ID, SpoolID string     // as shell_job and shell_output take them
	Origin      arc.Origin // who started it
	Command     string     // its first 200 characters
	Status      string     // as StatusRunning and the others
	PID         int        // of its shell; 0: it has ended
	Started     time.Time  // UTC
	Ended       time.Time  // UTC; zero: it runs
	OutputBytes int64      // so far
}

// Jobs lists the background jobs of a seat, the oldest first: those that run,
// and those whose record is still kept.
func (s *Shell) Jobs(ctx context.Context, seat arc.SeatID) ([]Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var jobs []Job
	for _, r := range s.of(seat) {
		if v := r.view(); v.job {
			jobs = append(jobs, Job{
				ID: r.jobID(), SpoolID: r.id, Origin: r.origin, Command: r.command, Status: v.status(),
				PID: v.pid, Started: r.started.UTC(), Ended: v.ended.UTC(), OutputBytes: r.spool.size(),
			})
		}
	}
	return jobs, nil
}

// JobStatus tells a seat's own job's status and whether that is its last. Its
// code is not_found. A seat's wait asks it.
func (s *Shell) JobStatus(ctx context.Context, seat arc.SeatID, job string) (status string, ended bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	r, err := s.job(seat, job)
	if err != nil {
		return "", false, err
	}
	v := r.view()
	return v.status(), !v.ended.IsZero(), nil
}

// JobPID is the process id of a seat's own job while it runs here, and 0 otherwise. On
// Unix it is also the number of the job's process group, and of its session. Whoever
// tells a seat what keeps its run from finishing asks it.
func (s *Shell) JobPID(seat arc.SeatID, job string) int {
	if r, err := s.job(seat, job); err == nil && r.proc != nil {
		return r.view().pid
	}
	return 0
}

// Kill ends a background job of any seat for the host: TERM, the grace, KILL. It
// waits for the end or for ctx. A job that has ended is left as it is. Codes:
// not_found, locked.
func (s *Shell) Kill(ctx context.Context, job string) error {
	r := s.findJob(job)
	switch {
	case r == nil:
		return noJob(nil)
	case r.done == nil:
		return &arc.Error{Code: arc.Locked, Message: "another process of the host runs this job; end it there."}
	}
	r.stop(reasonOperator)
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Touched lists the commands that the turns of a seat ran and the jobs that they
// left, in the order in which they began, as far as their records are kept.
func (s *Shell) Touched(ctx context.Context, seat arc.SeatID, turns []arc.TurnID) ([]arc.Touch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	turns = slices.Sorted(slices.Values(turns)) // of a long history they are many
	var touched []arc.Touch
	for _, r := range s.of(seat) {
		if _, asked := slices.BinarySearch(turns, r.origin.Turn); asked {
			touched = append(touched, r.touches()...)
		}
	}
	return touched, nil
}

// of returns a seat's runs, the oldest first.
func (s *Shell) of(seat arc.SeatID) []*run {
	var runs []*run
	for _, e := range s.store.All() {
		if e.Origin.Seat != seat {
			continue
		}
		if r, err := s.lookup(e.ID); err == nil {
			runs = append(runs, r)
		}
	}
	return runs
}

// known is a run in memory, or nil.
func (s *Shell) known(id string) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}

// lookup finds a run by its spool's id, in memory or on disk. Its error is
// retain.ErrUnknown.
func (s *Shell) lookup(id string) (*run, error) {
	if r := s.known(id); r != nil {
		return r, nil
	}
	e, err := s.store.Get(id)
	if err != nil {
		return nil, err
	}
	if s.store.Orphaned(e) {
		if r := s.adoptOne(e); r != nil {
			return r, nil
		}
		if e, err = s.store.Get(id); err != nil {
			return nil, err
		}
	}
	if e.Ended.IsZero() {
		s.adopting.Lock() // it may be this host's since a moment ago, and lost all the same
		r := s.known(id)
		s.adopting.Unlock()
		if r != nil {
			return r, nil
		}
	}
	r := s.restore(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.state.cursor = s.shown[id]
	if e.Ended.IsZero() {
		return r, nil // another process's, still running: read it anew next time
	}
	delete(s.shown, id)
	if kept := s.runs[id]; kept != nil {
		return kept, nil
	}
	s.runs[id] = r
	return r, nil
}

// showed remembers how far a look at another host's job has come: what is known of such a
// one is read anew each time.
func (s *Shell) showed(r *run, cursor int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown != nil {
		s.shown[r.id] = max(s.shown[r.id], cursor)
	}
}
