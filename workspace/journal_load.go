package workspace

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// refresh reads what other processes have appended since, or everything the
// first time. The lock is held.
func (j *journal) refresh() error {
	found, err := j.names()
	if err != nil {
		return err
	}
	if len(found.odd) > 0 {
		j.forget()
		j.damaged(0, found.odd[0]+" is of another kind than it was")
		return nil
	}
	if j.failed != nil || found.unsynced {
		if err := j.rewrite(found); err != nil {
			return err
		}
		// What another process, or we, can read back decides again.
		j.failed, j.segs, found.rewritten = nil, nil, true
	}
	numbers, known := found.segments, j.seq
	if !j.continues(numbers) || len(j.damage) > 0 && j.wasAccepted() {
		return j.load(found)
	}
	if len(j.damage) > 0 {
		return nil
	}
	last := numbers[len(numbers)-1]
	for {
		n := j.segs[len(j.segs)-1].n
		if err := j.readSegment(n == last, nil); err != nil || len(j.damage) > 0 {
			return err
		}
		if n >= last {
			break
		}
		if err := j.nextSegment(n + 1); err != nil {
			return err
		}
	}
	if j.seq != known {
		if err := j.makeSure(found); err != nil {
			return err
		}
	}
	if j.segs[0].n <= j.pruned.Drop { // another process has pruned
		if err := j.removePruned(); err != nil {
			return err
		}
	}
	return j.finishSegment()
}

// finishSegment begins a segment of which a crash left no more than the name, or
// than a torn header, which was cut off.
func (j *journal) finishSegment() error {
	if len(j.damage) > 0 || j.end > 0 {
		return nil
	}
	return j.beginSegment()
}

// wasAccepted reports whether another process may have accepted the damage that
// was found here: nothing else writes HEAD while there is any.
func (j *journal) wasAccepted() bool {
	h, err := j.readHead()
	return err == nil && h != nil && (j.head == nil || *h != *j.head)
}

// continues reports whether what is on disk begins with what was read: nothing
// was cut off.
func (j *journal) continues(numbers []int) bool {
	if len(j.segs) == 0 || len(numbers) == 0 || numbers[len(numbers)-1] < j.segs[len(j.segs)-1].n {
		return false
	}
	return j.inPlace()
}

// inPlace reports whether what is open is the newest segment that was read, and
// nothing was cut off of it.
func (j *journal) inPlace() bool {
	info, err := j.dir.lstat(segmentName(j.segs[len(j.segs)-1].n))
	if err != nil || info.Size() < j.end {
		return false
	}
	mine, err := j.file.Stat()
	return err == nil && j.dir.sameFile(mine, info)
}

// forget drops all that was read.
func (j *journal) forget() {
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
	j.segs, j.changes, j.byID = nil, nil, map[string]*change{}
	j.seq, j.chain.mac, j.lost, j.checked = 0, "", map[string]bool{}, map[SHA256]bool{}
	j.durableFolders = map[string]bool{}
	j.pruned, j.anchor, j.head = record{}, record{}, nil
	j.damage, j.notes, j.loose, j.lastType = nil, nil, 0, ""
}

// load reads the whole journal, or begins an empty one.
func (j *journal) load(found journalNames) error {
	numbers := found.segments
	j.forget()
	for _, d := range []string{"blobs", keptFolder} {
		if err := j.dir.mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	j.removeBegun(found)
	h, err := j.readHead()
	j.head = h
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(numbers) == 0:
		return j.startSegment(1)
	case errors.Is(err, fs.ErrNotExist) && j.unborn(numbers):
		// A crash at birth: the first segment was made and nothing was promised.
		if err := j.dir.remove(segmentName(1)); err != nil {
			return err
		}
		return j.load(journalNames{})
	case errors.Is(err, fs.ErrNotExist):
		j.damaged(0, "HEAD is missing")
	case err != nil:
		return err
	case h != nil && !hmac.Equal([]byte(h.Sum), []byte(j.headSum(*h))):
		j.damaged(0, "HEAD does not have its own hash")
	case h == nil:
		j.notes = append(j.notes, "HEAD was unreadable, as after a power cut; the end of the journal could not be checked")
	}
	soFar := len(j.damage) // what HEAD lacks ends no reading
	for i, n := range numbers {
		if i > 0 && n != numbers[i-1]+1 {
			j.damaged(j.seq, "a segment is missing")
			break
		}
		if err := j.nextSegment(n); err != nil {
			return err
		}
		if err := j.readSegment(i == len(numbers)-1, h); err != nil {
			return err
		}
		if len(j.damage) > soFar {
			break
		}
	}
	if err := j.makeSure(found); err != nil {
		return err
	}
	if err := j.checkLoaded(numbers, h); err != nil {
		return err
	}
	return j.finishSegment()
}

// unborn reports whether the journal is a first segment with at most a header.
func (j *journal) unborn(numbers []int) bool {
	if len(numbers) != 1 || numbers[0] != 1 {
		return false
	}
	f, err := j.dir.open(segmentName(1))
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLine))
	if err != nil {
		return false
	}
	return bytes.Count(b, []byte{'\n'}) <= 1 && !bytes.Contains(b, []byte(`"t":"intent"`))
}

// nextSegment goes on in segment n, and makes it if it is missing.
func (j *journal) nextSegment(n int) error {
	f, err := j.dir.openAppend(segmentName(n))
	if err != nil {
		return err
	}
	if j.file != nil {
		j.file.Close()
	}
	j.file, j.end = f, 0
	j.segs = append(j.segs, segment{n: n})
	return nil
}

// readSegment takes the records of the newest known segment that were not read
// yet. Damage ends it; in the last one a torn tail, which a crash leaves behind
// and which nothing rests on, is cut off.
func (j *journal) readSegment(last bool, h *head) error {
	info, err := j.file.Stat()
	if err != nil || info.Size() == j.end {
		return err // most often nobody has appended anything
	}
	r := bufio.NewReaderSize(io.NewSectionReader(j.file, j.end, 1<<62), int(min(256<<10, info.Size()-j.end)))
	for {
		line, err := readLine(r)
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		complete := err == nil
		length := len(line)
		line = bytes.TrimSuffix(line, []byte{'\n'})
		first := len(j.segs) == 1 && j.segs[0].n > 1 && j.end == 0
		before := j.chain
		rec, bad := j.chain.decode(line, first)
		if bad == nil && complete {
			bad = j.misplaced(rec, first)
		}
		if bad != nil || !complete {
			j.chain = before
			return j.badLine(r, line, complete, last, bad, h)
		}
		if h != nil && rec.Seq == h.Seq && j.chain.mac != h.MAC {
			j.damaged(rec.Seq, "HEAD names another record")
		}
		j.took(rec, j.end, length)
		j.end += int64(length)
	}
}

// readLine reads to the next newline, or to the end of the file, or to a length
// that no record has. Most lines are returned where they are in r's buffer, and are
// gone with its next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line == nil && !errors.Is(err, bufio.ErrBufferFull) {
			return part, err
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) || len(line) > maxLine {
			return line, err
		}
	}
}

// badLine tells a torn tail from damage. A tail is torn if nothing follows, the
// line is not whole or holds the zeros of a block that was never written, and
// HEAD does not vouch for it.
func (j *journal) badLine(r *bufio.Reader, line []byte, complete, last bool, bad error, h *head) error {
	if bad == nil {
		bad = errBadLine
	}
	holed := bytes.IndexByte(line, 0) >= 0
	_, err := r.ReadByte() // line is gone
	last = last && err == io.EOF
	vouched := h != nil && h.Seq > j.seq
	if last && !vouched && (!complete || holed) {
		j.notes = append(j.notes, "an unfinished last record was cut off; no change rested on it")
		if err := j.file.Truncate(j.end); err != nil {
			return err
		}
		return nil
	}
	j.damaged(j.seq+1, bad.Error())
	return nil
}

func (j *journal) damaged(seq uint64, reason string) {
	j.damage = append(j.damage, Damage{seq, reason})
}

var (
	errSeq     = errors.New("a record is missing or doubled")
	errHeader  = errors.New("a segment does not begin with its header")
	errForeign = errors.New("the journal belongs to another project")
	errIntent  = errors.New("a change is announced that could not be made or undone")
	errPrune   = errors.New("a record drops the segment that it stands in")
	errEnd     = errors.New("a change ends that did not begin, or ends twice")
)

// misplaced says why a record that is sound in itself cannot stand here.
func (j *journal) misplaced(r *record, first bool) error {
	switch {
	case !first && r.Seq != j.seq+1:
		return errSeq
	case j.end == 0 && r.Type != typeHeader, j.end > 0 && r.Type == typeHeader:
		return errHeader
	case r.Type == typeHeader && r.Workspace != j.workspace:
		return errForeign
	case r.Type == typeIntent && (!r.intent.sound(r.ID) || j.byID[r.ID] != nil):
		return errIntent
	case (r.Type == typePrune || r.Type == typeAccept) && (r.Drop < 0 || r.Drop >= j.segs[len(j.segs)-1].n):
		return errPrune
	case r.Now != "" && !isHash(r.Now), r.Kept != "" && r.Kept != r.ID:
		return errEnd
	case r.Type == typeCommit || r.Type == typeAbort || r.Type == typeResolve:
		if c := j.byID[r.ID]; c == nil || c.end != "" {
			if c == nil && r.Seq > 0 && j.segs[0].n > 1 {
				return nil // its intent was pruned
			}
			return errEnd
		}
	}
	return nil
}

// checkLoaded checks what only the whole shows: its beginning, its end, and that
// the contents it speaks of are there. It finishes a prune that a crash cut short.
func (j *journal) checkLoaded(numbers []int, h *head) error {
	if len(numbers) == 0 && len(j.damage) == 0 {
		j.damaged(0, "there is a HEAD and no journal")
	}
	if len(j.damage) > 0 {
		return nil
	}
	if h != nil && j.seq < h.Seq {
		j.damaged(j.seq+1, "the journal ends before HEAD")
	}
	switch gone := numbers[0] - 1; {
	case gone > 0 && j.pruned.Type == "", gone > j.pruned.Drop,
		gone == j.pruned.Drop && gone > 0 && (j.anchor.Prev != j.pruned.LastMAC || j.anchor.Seq != j.pruned.Last+1):
		j.damaged(0, "the oldest segments are missing")
	case gone < j.pruned.Drop:
		if err := j.removePruned(); err != nil {
			return err
		}
	}
	blobs, err := j.listBlobs()
	if err != nil {
		return err
	}
	counted := map[SHA256]bool{}
	for _, c := range j.changes {
		b := c.Before
		if b == nil || b.Image != imageBlob || c.end != typeCommit {
			continue // before its commit, nothing was done that needs the content
		}
		size, ok := blobs[b.Hash]
		if !ok && !j.lost[c.id] {
			j.damaged(c.seq, "the content before "+c.id+" is missing")
		}
		if i := slices.IndexFunc(j.segs, func(s segment) bool { return s.n == c.seg }); i >= 0 && !counted[b.Hash] {
			j.segs[i].bytes += size
			counted[b.Hash] = true
		}
	}
	return nil
}
