package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/statedir"
)

// Durability says what an acknowledged change has survived.
type Durability uint8

const (
	// Full: a power cut. Two syncs side by side, then one of the directory.
	Full Durability = iota
	// Consistent: after a power cut each file is old or new. The last changes may be
	// gone, also some that the journal has as made; their undo then says that the file
	// has changed since.
	Consistent
	// Process: the death of the process, not that of the machine.
	Process
)

// Options say how a workspace is opened. Nil is fine.
type Options struct {
	// State is the host's state directory of the project; the journal is its
	// folder "journal". It is better outside of the project, and cannot be the
	// project itself. Inside it is no part of it: no tool lists, searches, reads or
	// changes what is there. Default: a folder of the user's state directory, named
	// by a hash of the project's path.
	State string
	// Key makes the journal's chain an HMAC, so that a forged record is found even
	// if its forger recomputed the hashes. Default: plain SHA-256, which finds
	// accidents and careless edits only. A journal begun with another key or none
	// counts as damaged until the host accepts it.
	Key []byte
	// Durability of an acknowledged change. Default: Full.
	Durability Durability
	// ReadOnly refuses every change (forbidden); see [Workspace.Denied]. Default:
	// false.
	ReadOnly bool
	// Protected are paths, and all below them, that changes refuse, beside .git and
	// the journal. Of one that is a link, what it leads to at Open is meant too.
	// Default: none.
	Protected []string
	// ExactContent writes content as given. Default: false: a file that is
	// uniformly CRLF stays so, and one with a byte order mark keeps it.
	ExactContent bool
	// MaxRead is the largest file that is read, in bytes. Default: 2 GiB.
	MaxRead int64
	// PDFTool names the tool that takes the path of a PDF file, which a read of one
	// then gives as the next call. Default: none.
	PDFTool string
	// KeepChanges bounds the journal. The oldest changes go first, many at a time and
	// when another is made, and can then no longer be undone. Default: 10,000.
	KeepChanges int
	// KeepBytes bounds it by what it takes on disk. Default: 1 GiB.
	KeepBytes int64
	// KeepFor bounds it by the age of its changes, of which each may be an eighth
	// older. Default: 90 days.
	KeepFor time.Duration
	// Logger gets what goes wrong behind a result. Default: discarded.
	Logger *slog.Logger
}

// Limits that are not options.
const (
	maxContent = 8 << 20         // bytes that a write takes
	maxEdit    = 64 << 20        // bytes of a file that is edited, replaced or undone
	lockWait   = 5 * time.Second // for another process's change to end
)

// A Workspace is a project folder and the journal of what was done to it. It is
// safe for concurrent use, also by several processes.
type Workspace struct {
	opts      Options
	dir       string // as given, absolute
	realDir   string // the same without links
	root      folder
	state     []fs.FileInfo // the state directory, and the journal's in it
	git       fs.FileInfo   // root/.git; nil if there is none
	protected []relPath
	log       *slog.Logger
	journal   *journal
	turn      chan struct{} // holds one token: the right to change something

	// These belong to who holds the turn.
	recovered []Recovered
	ambiguous map[string]Ambiguous

	seen      *sightings
	snapshots *snapshots
	hashes    *hashes
}

// Open opens the project at dir and settles what a crash left behind; see
// [Workspace.RecoveryStatus]. It fails only if the project or its state
// directory cannot be opened: a damaged journal blocks changes, not reading.
//
// Codes: invalid_arguments (State is the project itself), not_found,
// not_a_directory, invalid_path (of Protected), permission_denied, no_space,
// locked, io_error. The error's text is the host's: it names paths.
func Open(dir string, o *Options) (*Workspace, error) {
	ws := &Workspace{}
	if err := ws.start(dir, o, func(d folder) folder { return d }); err != nil {
		ws.Close()
		return nil, openFault(err)
	}
	return ws, nil
}

// openFault gives an error of Open its code, and keeps the system's words.
func openFault(err error) error {
	if known := (*arc.Error)(nil); errors.As(err, &known) {
		return fmt.Errorf("workspace: %w", err)
	}
	e := &arc.Error{Code: arc.IOError, Message: "the project or its state directory cannot be opened", Err: err}
	switch i := slices.IndexFunc(faults, func(f fault) bool { return f.is(err) }); {
	case i >= 0:
		e.Code = faults[i].code
	case errors.Is(err, context.DeadlineExceeded):
		e.Code = arc.Locked
	}
	return fmt.Errorf("workspace: %w: %w", e, err)
}

// start is Open on folders that a test may put something before.
func (ws *Workspace) start(dir string, o *Options, through func(folder) folder) error {
	ws.prepare(o)
	return ws.open(dir, through)
}

// prepare sets what needs no disk.
func (ws *Workspace) prepare(o *Options) {
	if o != nil {
		ws.opts = *o
	}
	ws.opts.fill()
	ws.log = ws.opts.Logger
	ws.turn = make(chan struct{}, 1)
	ws.ambiguous, ws.seen, ws.snapshots, ws.hashes = map[string]Ambiguous{}, newSightings(), newSnapshots(), newHashes()
}

func (o *Options) fill() {
	if o.MaxRead <= 0 {
		o.MaxRead = 2 << 30
	}
	if o.KeepChanges <= 0 {
		o.KeepChanges = 10_000
	}
	if o.KeepBytes <= 0 {
		o.KeepBytes = 1 << 30
	}
	if o.KeepFor <= 0 {
		o.KeepFor = 90 * 24 * time.Hour
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

func (ws *Workspace) open(dir string, through func(folder) folder) (err error) {
	if ws.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if ws.realDir, err = filepath.EvalSymlinks(ws.dir); err != nil {
		return err
	}
	if info, err := os.Stat(ws.realDir); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: ws.dir, Err: syscall.ENOTDIR}
	}
	if ws.root, err = openFolder(ws.realDir); err != nil {
		return err
	}
	ws.root = through(ws.root)
	if ws.git, err = ws.root.lstat(".git"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	state := ws.opts.State
	if state == "" {
		if state, err = statedir.Default(ws.realDir); err != nil {
			return err
		}
	}
	journalDir := filepath.Join(state, "journal")
	for _, dir := range []string{state, journalDir} {
		if ws.root.at(dir) {
			return &arc.Error{Code: arc.InvalidArguments, Message: "the state directory is the project itself; name one outside of it.", Detail: map[string]string{"reason": "state"}}
		}
	}
	if err := statedir.Make(journalDir); err != nil {
		return err
	}
	for _, dir := range []string{state, journalDir} {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		ws.state = append(ws.state, info)
	}
	if err := ws.protect(ws.opts.Protected); err != nil {
		return err
	}
	in, err := openFolder(journalDir)
	if err != nil {
		return err
	}
	lock, err := openLock(journalDir)
	if err != nil {
		in.Close()
		return err
	}
	ws.useJournal(through(in), lock, journalDir)
	return ws.settle()
}

// useJournal goes on with the journal in d, which is at path.
func (ws *Workspace) useJournal(d folder, lock lockFile, path string) {
	ws.journal = &journal{
		dir: d, path: path, lockFile: lock, workspace: ws.realDir, chain: chain{key: ws.opts.Key}, durable: ws.opts.Durability != Process,
		keep: retention{ws.opts.KeepChanges, ws.opts.KeepBytes, ws.opts.KeepFor}, now: time.Now,
	}
}

// settle reads the journal and settles what a process that died left behind.
func (ws *Workspace) settle() error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	leave, err := ws.enter(ctx)
	if err != nil {
		return err
	}
	leave()
	return nil
}

// Close releases the project. A change that is under way ends first; other calls
// that are, and later ones, fail.
func (ws *Workspace) Close() error {
	ws.turn <- struct{}{}
	defer func() { <-ws.turn }()
	var errs []error
	if ws.journal != nil {
		errs = append(errs, ws.journal.Close())
	}
	if ws.root != nil {
		errs = append(errs, ws.root.Close())
	}
	return errors.Join(errs...)
}

// isState reports whether info is the host's state directory or the journal in
// it, wherever they stand.
func (ws *Workspace) isState(info fs.FileInfo) bool {
	return info.IsDir() && slices.ContainsFunc(ws.state, func(s fs.FileInfo) bool { return os.SameFile(info, s) })
}

func (ws *Workspace) isGit(info fs.FileInfo) bool {
	return ws.git != nil && os.SameFile(info, ws.git)
}

// protect adds paths to those that changes refuse, as they are named and as they
// are without links.
func (ws *Workspace) protect(paths []string) error {
	for _, path := range paths {
		rel, err := ws.parsePath(path, true)
		if err != nil {
			return err
		}
		ws.protected = append(ws.protected, rel)
		p, err := ws.resolve(context.Background(), rel)
		if err != nil {
			continue // it leads nowhere in the project, so only the name is left
		}
		ws.protected = append(ws.protected, p.real)
		p.Close()
	}
	return nil
}

// isProtected reports whether a change at p is refused.
func (ws *Workspace) isProtected(p *place) bool {
	return p.git || slices.ContainsFunc(ws.protected, func(q relPath) bool {
		return within(p.real, q) || within(p.path, q)
	})
}
