// Package retain keeps what tools said for a while: entries of one file each,
// that belong to a seat, are dropped by age and by total size, and outlive the
// process.
//
// A directory may be shared by several stores, also of several processes. An
// entry is written by the store that created it and read by all. Its id is
// random, checked against those that stand there, and is remembered after the
// file was dropped, so that "expired" can be told from "never was".
//
// A Store may be used from many goroutines.
package retain

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/statedir"
)

// Defaults of Options.
const (
	DefaultBytes = 2 << 30        // of all entries
	DefaultAge   = 24 * time.Hour // of an entry since it ended
)

const (
	remembered = 7    // how many ages the record of a dropped entry is kept
	sweeps     = 1000 // how often in an age a busy store looks at all of its entries
)

// Options of Open.
type Options struct {
	Bytes int64             // of all entries together; 0: DefaultBytes
	Age   time.Duration     // of a finished entry; 0: DefaultAge
	Keep  func(*Entry) bool // a finished entry that size does not drop; nil: none. It must not call the Store
	Now   func() time.Time  // nil: time.Now

	// Read opens what there is to be read, and changes nothing: also where the disk
	// cannot be written. A directory that is not there has no entries.
	Read bool
}

// An Entry is what is known of one kept file.
type Entry struct {
	ID      string          `json:"id"`                // names its file
	Origin  arc.Origin      `json:"origin"`            // whose call made it
	Owner   string          `json:"owner"`             // the store that writes it
	Created time.Time       `json:"created"`           // when it was begun
	Ended   time.Time       `json:"ended,omitzero"`    // zero: still written
	Bytes   int64           `json:"bytes"`             // that the file takes
	Dropped bool            `json:"dropped,omitempty"` // the file is gone
	Data    json.RawMessage `json:"data"`              // the family's own
}

// A Store is a directory of entries.
type Store struct {
	dir     string
	owner   string
	lock    *os.File
	gone    []string // the owners whose locks were left
	options Options

	mu      sync.Mutex
	entries map[string]*Entry // the Entry behind a pointer is replaced, never modified
	total   int64
	swept   time.Time
	unseen  int64 // what this store has written since it looked what others have
}

// ErrUnknown says that there is no such entry.
var ErrUnknown = errors.New("retain: no such entry")

// Open opens the store in dir and makes it if it is missing.
func Open(dir string, o *Options) (*Store, error) {
	s := &Store{dir: dir, entries: map[string]*Entry{}}
	if o != nil {
		s.options = *o
	}
	if s.options.Bytes <= 0 {
		s.options.Bytes = DefaultBytes
	}
	if s.options.Age <= 0 {
		s.options.Age = DefaultAge
	}
	if s.options.Now == nil {
		s.options.Now = time.Now
	}
	if s.options.Read {
		if err := s.load(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return s, nil
	}
	if err := statedir.Make(dir); err != nil {
		return nil, err
	}
	s.owner = random()
	lock, err := hold(s.lockPath(s.owner), filepath.Join(dir, newPrefix+s.owner))
	if err != nil {
		return nil, fmt.Errorf("retain: %w", err)
	}
	s.lock = lock
	if err := s.load(); err != nil {
		s.Close()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	return s, nil
}

// Close gives the store's entries up: another store may take those that are not
// finished for orphans. Reading goes on.
func (s *Store) Close() error {
	if s.lock == nil {
		return nil
	}
	_ = os.Remove(s.lockPath(s.owner)) // a lock file that stays is removed by the next Open
	return s.lock.Close()
}

// load reads the records of dir, and removes the locks of owners that are gone and
// files without a record. A record that cannot be read is left alone.
func (s *Store) load() error {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	s.learn(names)
	if s.options.Read {
		return nil
	}
	for _, n := range names {
		if owner, ok := strings.CutPrefix(n.Name(), lockPrefix); ok && owner != s.owner && !s.alive(owner) {
			s.gone = append(s.gone, owner)
			_ = os.Remove(s.lockPath(owner)) // the next Open tries again
		}
	}
	s.tidy(names)
	return nil
}

// tidy removes files that are past the age and that no record names: what a crash
// left between a file and its record, or a disk too full for one.
func (s *Store) tidy(names []fs.DirEntry) {
	recorded := map[string]bool{}
	for _, n := range names {
		if id, ok := strings.CutSuffix(n.Name(), recordSuffix); ok {
			recorded[id], recorded[n.Name()] = true, true
		}
	}
	for _, n := range names {
		if recorded[n.Name()] || strings.HasPrefix(n.Name(), lockPrefix) || n.Name() == claimFile || n.IsDir() {
			continue
		}
		if info, err := n.Info(); err == nil && s.options.Now().Sub(info.ModTime()) > s.options.Age {
			_ = os.Remove(filepath.Join(s.dir, n.Name())) // the next Open tries again
		}
	}
}

const (
	recordSuffix = ".json"
	lockPrefix   = "owner-"
	newPrefix    = "new-" // of a lock that is not yet held
)

func (s *Store) lockPath(owner string) string { return filepath.Join(s.dir, lockPrefix+owner) }
func (s *Store) recordPath(id string) string  { return filepath.Join(s.dir, id+recordSuffix) }

// Path is where the bytes of an entry are.
func (s *Store) Path(id string) string { return filepath.Join(s.dir, id) }

// put remembers e in place of what was there. The caller holds mu, or nobody
// else has the store yet.
func (s *Store) put(e *Entry) {
	if old := s.entries[e.ID]; old != nil {
		s.total -= old.size()
	}
	s.entries[e.ID] = e
	s.total += e.size()
}

// size is what e takes of the store.
func (e *Entry) size() int64 {
	if e.Dropped {
		return 0
	}
	return e.Bytes
}

// Create makes an entry, its id prefix and a random word, and opens its file for
// reading and writing.
func (s *Store) Create(prefix string, origin arc.Origin, data any) (*Entry, *os.File, error) {
	e, err := s.Reserve(prefix, origin, data)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.Make(e.ID)
	if err != nil {
		s.Remove(e.ID)
		return nil, nil, err
	}
	// A disk too full for a record must not stop a command that makes room on it:
	// memory has the entry, and an Update may succeed.
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.write(e)
	return e, f, nil
}

// Reserve is Create for an entry whose record is made by its first Update, and its file
// by Make, if at all: until the first other stores do not know of it, nor a later one if
// the host is killed.
func (s *Store) Reserve(prefix string, origin arc.Origin, data any) (*Entry, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Now().After(s.swept.Add(s.options.Age / sweeps)) {
		s.sweep()
	}
	id := prefix + random()
	for s.entries[id] != nil || there(s.recordPath(id)) || there(s.Path(id)) {
		id = prefix + random() // an entry of this name is there, or was dropped
	}
	e := &Entry{ID: id, Origin: origin, Owner: s.owner, Created: s.options.Now().UTC(), Data: raw}
	s.put(e)
	return e, nil
}

// Make makes the file of an entry.
func (s *Store) Make(id string) (*os.File, error) {
	return os.OpenFile(s.Path(id), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Update replaces the family's own part of an entry, and once finished is true,
// ends it. The memory of this store has it even if the disk refuses it.
func (s *Store) Update(id string, data any, finished bool) error {
	return s.update(id, data, func(e *Entry) {
		if finished {
			s.finish(e)
		}
	})
}

func (s *Store) update(id string, data any, change func(*Entry)) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.entries[id]
	if old == nil {
		return ErrUnknown
	}
	e := *old
	e.Data = raw
	change(&e)
	s.put(&e)
	return s.write(&e)
}

func (s *Store) finish(e *Entry) {
	if e.Ended.IsZero() {
		e.Ended = s.options.Now().UTC()
	}
}

// Grow asks for room for n more bytes of an entry that is being written. It
// drops what is old enough, and finished entries from the oldest on; false means
// that nothing more may go. What other stores have written is looked up now and then,
// so that all of them together pass Bytes by a thirty-second of it each, at most.
func (s *Store) Grow(id string, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[id] == nil {
		return false
	}
	if s.unseen += n; s.unseen > s.options.Bytes/32 {
		s.lookAround()
	}
	if s.total+n > s.options.Bytes {
		s.makeRoom(n)
	}
	if s.total+n > s.options.Bytes && s.lookAround() {
		s.makeRoom(n)
	}
	old := s.entries[id]
	if old == nil || s.total+n > s.options.Bytes {
		return false
	}
	e := *old
	e.Bytes += n
	s.put(&e)
	return true
}

// Get returns the entry of id, also one that another process made since, or
// ErrUnknown.
func (s *Store) Get(id string) (*Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[id]; e != nil && (e.Owner == s.owner || !e.Ended.IsZero()) {
		return e, nil
	}
	if id == "" || strings.ContainsAny(id, `/\.:`) {
		return nil, ErrUnknown
	}
	e, err := s.read(id)
	if err != nil {
		return nil, ErrUnknown
	}
	s.put(e)
	return e, nil
}

// Latest returns an entry as its record stands now, whichever store wrote that last.
func (s *Store) Latest(id string) (*Entry, error) { return s.read(id) }

// All returns the entries, the oldest first.
func (s *Store) All() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sorted()
}

func (s *Store) sorted() []*Entry {
	all := make([]*Entry, 0, len(s.entries))
	for _, e := range s.entries {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *Entry) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all
}

// Orphaned reports whether e is not finished and never will be, because the
// store that wrote it is gone. Adopt is for such.
func (s *Store) Orphaned(e *Entry) bool {
	return e.Ended.IsZero() && e.Owner != s.owner && !s.alive(e.Owner)
}

// Adopt finishes an orphan that was claimed: data is its end, and its file's size its
// bytes.
func (s *Store) Adopt(id string, data any) error {
	return s.update(id, data, func(e *Entry) {
		s.finish(e)
		if info, err := os.Stat(s.Path(id)); err == nil {
			e.Bytes = info.Size()
		}
	})
}

func (s *Store) alive(owner string) bool {
	if owner == "" || strings.ContainsAny(owner, `/\.`) {
		return false
	}
	return held(s.lockPath(owner))
}

// alphabet has no letters that are easily taken for one another.
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz"

// random is 7 letters: one of 27 thousand million.
func random() string {
	var b [7]byte
	for i := range b {
		var one [1]byte
		for {
			rand.Read(one[:]) // it never fails
			if n := int(one[0]); n < len(alphabet)*(256/len(alphabet)) {
				b[i] = alphabet[n%len(alphabet)]
				break
			}
		}
	}
	return string(b[:])
}

// Owner names this store among those of its directory.
func (s *Store) Owner() string { return s.owner }

// Gone names the stores that Open found not to have been closed, as where their process
// was killed. An Open of another process at the same moment may have found them too.
func (s *Store) Gone() []string { return s.gone }

// Remove forgets an entry as if it had never been.
func (s *Store) Remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[id]; e != nil {
		s.total -= e.size()
		delete(s.entries, id)
	}
	_ = os.Remove(s.recordPath(id)) // what stays is removed by an Open when it is past the age
	_ = os.Remove(s.Path(id))
}
