package workspace

import (
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/arcseat/arc"
)

// The journal is a folder:
//
//	LOCK             held while a change is made, by one process
//	NEXT             held by the process whose turn is next
//	HEAD             the last intent that was synced
//	seg-000001.jsonl records, chained by their hashes; the newest segment grows
//	UNSYNCED         there while a segment may have a hole that cannot be seen yet
//	blobs/ab/…       file contents too large for a record, named by their hash
//	kept/            what would otherwise be lost: conflict copies, refused segments
//
// A change is appended as an intent, which is synced before anything is renamed
// in the project, and ended by a commit or an abort, which need no sync: without
// them recovery looks at the files.
type journal struct {
	dir       folder
	path      string // of dir
	lockFile  lockFile
	workspace string // the project's path
	keep      retention
	durable   bool // a power cut counts
	now       func() time.Time

	// All below belongs to who holds the lock.
	segs     []segment
	file     file  // the newest segment
	end      int64 // bytes of it that were read
	chain    chain
	seq      uint64
	changes  []*change // oldest first
	byID     map[string]*change
	pruned   record          // the newest prune, or the newest accept, which prunes too
	anchor   record          // the first record that is left: its seq and prev
	head     *head           // HEAD when all was read; nil: there was none to read
	lost     map[string]bool // changes whose content from before is known to be lost
	deflater *flate.Writer
	checked  map[SHA256]bool // blobs that were found to be whole
	// durableFolders are those of blobs whose names we have synced.
	durableFolders map[string]bool
	damage         []Damage
	notes          []string
	failed         error // a write or sync failed: what is on disk is unknown
	loose          int   // records at the end that no sync of ours has covered
	lastType       recordType
}

// maxLoose is how many records may be without a sync. After a power cut the first of
// two may be a hole, which is a torn tail; behind a hole a third would stand alone.
const maxLoose = 2

// retention bounds the journal; it is kept by whole segments.
type retention struct {
	changes int
	bytes   int64
	age     time.Duration
}

// A segment is one file of records.
type segment struct {
	n       int
	bytes   int64 // of the file and of the blobs first used in it
	changes int
	last    uint64 // seq
	lastMAC string
	began   time.Time // of its first record
	newest  time.Time // of any of them
}

const (
	segmentBytes   = 8 << 20
	segmentChanges = 1000
	maxLine        = 1 << 20 // bytes of a record
)

// A change is what the journal knows of one change, without its contents.
type change struct {
	id     string
	seq    uint64
	seg    int
	at     int64 // offset of the intent's line in its segment
	length int
	time   time.Time
	intent

	end       recordType // "" while it is open
	now       SHA256     // what was seen when it ended
	reason    string
	kept      string
	recovered bool
	undoneBy  string
}

// Damage is a part of the journal that is not as this package left it.
type Damage struct {
	Seq    uint64 `json:"seq"`    // the record, counted from 1; 0: no one record
	Reason string `json:"reason"` // what is wrong, in a few words
}

func (j *journal) Close() error {
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	return errors.Join(err, j.dir.Close(), j.lockFile.Close())
}

// lock waits for other processes to end their change.
func (j *journal) lock(ctx context.Context) (unlock func(), err error) {
	start := j.now()
	if err := j.await(ctx, start, j.lockFile.tryNext); err != nil {
		return nil, err
	}
	defer j.lockFile.leaveNext()
	if err := j.await(ctx, start, j.lockFile.tryLock); err != nil {
		return nil, err
	}
	return j.lockFile.unlock, nil
}

// await tries until it succeeds, or lockWait after start.
func (j *journal) await(ctx context.Context, start time.Time, try func() (bool, error)) error {
	for pause := 500 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		if ok, err := try(); ok || err != nil {
			return err
		}
		waited := j.now().Sub(start)
		if waited > lockWait {
			return &arc.Error{
				Code:    arc.Locked,
				Message: "another process is changing this project; try again in a moment.",
				Detail:  map[string]int64{"waited_ms": waited.Milliseconds()},
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func segmentName(n int) string { return fmt.Sprintf("seg-%06d.jsonl", n) }

// startSegment makes segment n and goes on in it. What was appended to the one
// before is durable first: the new one is chained to it.
func (j *journal) startSegment(n int) error {
	if j.file != nil {
		if err := j.sync(); err != nil {
			return err
		}
	}
	if err := j.nextSegment(n); err != nil {
		return err
	}
	return j.beginSegment()
}

// beginSegment gives the newest segment, which is empty, its header, and makes it
// durable.
func (j *journal) beginSegment() error {
	if err := j.append(&record{Type: typeHeader, Workspace: j.workspace}); err != nil {
		return err
	}
	if err := j.sync(); err != nil {
		return err
	}
	if err := j.dir.sync(); err != nil {
		return err
	}
	return j.writeHead(true)
}

// errTooLong says that a record has more than maxLine bytes.
var errTooLong = errors.New("the record is too long for the journal")

// append writes r as the next record. It is not durable before sync.
func (j *journal) append(r *record) error {
	if j.failed != nil {
		return j.failed
	}
	if j.loose >= maxLoose && j.durable {
		if err := j.sync(); err != nil {
			return err
		}
	}
	r.Seq, r.Time = j.seq+1, j.now().UTC()
	before := j.chain
	line, err := j.chain.encode(r)
	if err != nil {
		return err
	}
	if len(line) > maxLine { // no process would read it back
		j.chain = before
		return errTooLong
	}
	if _, err := j.file.Write(line); err != nil {
		j.chain = before
		if terr := j.file.Truncate(j.end); terr != nil {
			j.failed = errors.Join(err, terr)
		}
		return err
	}
	at := j.end
	j.end += int64(len(line))
	j.took(r, at, len(line))
	return nil
}

// sync makes what was appended durable. After a sync that failed nobody knows
// what is on disk, so the journal takes no more.
func (j *journal) sync() error {
	if err := j.file.Sync(); err != nil {
		j.failed = err
		j.markUnsynced()
	}
	j.loose = 0
	return j.failed
}

// took brings what is in memory up to r.
func (j *journal) took(r *record, at int64, length int) {
	j.loose++
	j.lastType = r.Type
	if j.seq = r.Seq; j.anchor.Seq == 0 {
		j.anchor = *r
	}
	s := &j.segs[len(j.segs)-1]
	s.bytes, s.last, s.lastMAC = s.bytes+int64(length), r.Seq, j.chain.mac
	if s.began.IsZero() {
		s.began = r.Time
	}
	if r.Time.After(s.newest) {
		s.newest = r.Time
	}
	switch r.Type {
	case typeIntent:
		s.changes++
		c := &change{id: r.ID, seq: r.Seq, seg: s.n, at: at, length: length, time: r.Time, intent: *r.intent}
		if b := c.Before; b != nil && b.Image != "" && b.Image != imageBlob {
			v := *b
			v.Image = imageInline
			c.Before = &v
		}
		j.changes = append(j.changes, c)
		j.byID[c.id] = c
	case typeCommit, typeAbort, typeResolve:
		c := j.byID[r.ID]
		if c == nil {
			return // a resolved change may be pruned before its resolution
		}
		c.end, c.now, c.kept = r.Type, r.Now, r.Kept
		c.reason = r.Reason
		c.recovered = r.Reason == reasonRecovered
		if c.applied() {
			j.undid(c)
		}
	case typePrune:
		j.pruned = *r
	case typeAccept:
		j.pruned = *r
		for _, id := range r.Lost {
			j.lost[id] = true
		}
	}
}

// undid marks what c undid. What that one had undone is in effect again, what that
// again had undone is not, and so on.
func (j *journal) undid(c *change) {
	by := c.id
	for c = j.byID[c.UndoOf]; c != nil; c = j.byID[c.UndoOf] {
		c.undoneBy = by
		if by = ""; c.undoneBy == "" {
			by = c.id
		}
	}
}

// applied reports whether the change was made, as far as is known.
func (c *change) applied() bool {
	return c.end == typeCommit || c.end == typeResolve && c.now == c.afterHash()
}

func (c *change) beforeHash() SHA256 { return c.Before.hash() }
func (c *change) afterHash() SHA256  { return c.After.hash() }

// hash is the content's, empty for nothing at all.
func (v *version) hash() SHA256 {
	if v == nil {
		return ""
	}
	return v.Hash
}

const (
	changePrefix = "change_"
	maxID        = 100 // bytes of a change's id
)

// newID names the next change: its place in the journal, and a few letters so
// that a guess or a slip of the pen does not name another one.
func (j *journal) newID() string {
	return changePrefix + strconv.FormatUint(j.seq+1, 10) + "_" + randomLetters(4)
}

// isChangeID reports whether id has only what newID puts into one, so that it is a
// file's name and no path.
func isChangeID(id string) bool {
	rest, ok := strings.CutPrefix(id, changePrefix)
	return ok && rest != "" && len(id) < maxID && strings.Trim(rest, "0123456789_abcdefghijklmnopqrstuvwxyz") == ""
}

func randomLetters(n int) string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[rand.IntN(len(letters))]
	}
	return string(b)
}
