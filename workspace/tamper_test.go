package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A tampering is one way to damage a journal on a simulated disk.
type tampering struct {
	name string
	kind string // what was done, for the counts
	do   func(s simState)
}

// tampered makes a journal of some segments, and all that can be done to each of its
// records and files.
func tampered(t *testing.T, o Options) (w *simWorld, base simState, all []tampering) {
	o.KeepChanges = 12 // four changes a segment
	w = newSimWorld(t, o)
	w.put("bystander", "untouched")
	w.put("big", large(1))
	w.put("bigger", large(2)+"more")
	shrink := func(path string) step {
		return func(w *simWorld) error {
			_, err := w.Write(ctx, by, WriteArgs{Path: path, Content: "small", ExpectedSHA256: string(hashOf([]byte(w.get(path))))})
			return err
		}
	}
	w.must(save("1"), save("2"), undoLast, shrink("big"), save("3"), undoLast, shrink("bigger"), save("4"), save("5"), undoLast)
	w.Close()
	base = slices.Clone(w.disk.state)
	add := func(kind, name string, do func(s simState)) { all = append(all, tampering{name, kind, do}) }
	content := func(node int, edit func(b []byte) []byte) func(s simState) {
		return func(s simState) {
			n := *s[node]
			n.data = edit(bytes.Clone(n.data))
			s[node] = &n
		}
	}
	flip := func(at int, bit byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= bit; return b }
	}
	names := func(dir int, edit func(n *simNode)) func(s simState) {
		return func(s simState) {
			n := *s[dir]
			n.names = slices.Clone(n.names)
			edit(&n)
			s[dir] = &n
		}
	}
	file := func(dir int, f simName, step int) {
		size := len(base[f.node].data)
		add("a file removed", f.name, names(dir, func(n *simNode) { n.set(simName{f.name, -1}) }))
		add("a file emptied", f.name, content(f.node, func(b []byte) []byte { return nil }))
		for at := 0; at < size; at += step {
			add("a bit flipped", fmt.Sprintf("%s at %d of %d", f.name, at, size), content(f.node, flip(at, 1<<(at%7))))
		}
		for at := step / 2; at < size; at += step {
			add("a file cut", fmt.Sprintf("%s at %d of %d", f.name, at, size), content(f.node, func(b []byte) []byte { return b[:at] }))
		}
	}
	var segments []simName
	for _, f := range base[simJournal].names {
		if _, ok := segmentNumber(f.name); ok {
			segments = append(segments, f)
		}
		if f.name == "HEAD" {
			file(simJournal, f, 9)
		}
	}
	if len(segments) < 2 {
		t.Fatalf("%d segments", len(segments))
	}
	for i, f := range segments {
		file(simJournal, f, 401)
		lines := bytes.SplitAfter(base[f.node].data, newline)
		lines = lines[:len(lines)-1]
		records := func(kind string, at int, edit func(l [][]byte) [][]byte) {
			add(kind, fmt.Sprintf("record %d of %s", at, f.name), content(f.node, func(b []byte) []byte {
				l := bytes.SplitAfter(b, newline)
				return bytes.Join(edit(l[:len(l)-1]), nil)
			}))
		}
		for at := range lines {
			start := len(bytes.Join(lines[:at], nil))
			for _, off := range []int{0, 7, 12, 20, 30, 40, len(lines[at]) / 3, len(lines[at]) / 2, len(lines[at]) - 70, len(lines[at]) - 2, len(lines[at]) - 1} {
				add("a bit flipped", fmt.Sprintf("record %d of %s, byte %d", at, f.name, off), content(f.node, flip(start+off, 4)))
			}
			records("a record removed", at, func(l [][]byte) [][]byte { return slices.Delete(l, at, at+1) })
			records("a record doubled", at, func(l [][]byte) [][]byte { return slices.Insert(l, at, l[at]) })
			records("a record said again at the end", at, func(l [][]byte) [][]byte { return append(l, l[at]) })
			if at+1 < len(lines) {
				records("all behind a record cut off", at, func(l [][]byte) [][]byte { return l[:at+1] })
			}
			records("a record torn", at, func(l [][]byte) [][]byte { l[at] = l[at][:len(l[at])/2]; return l })
			records("words put in", at, func(l [][]byte) [][]byte { return slices.Insert(l, at, []byte("{}\n")) })
			if at > 0 {
				records("records swapped", at, func(l [][]byte) [][]byte { l[at-1], l[at] = l[at], l[at-1]; return l })
			}
		}
		if i > 0 {
			add("segments swapped", f.name, names(simJournal, func(n *simNode) {
				n.set(simName{f.name, segments[i-1].node})
				n.set(simName{segments[i-1].name, f.node})
			}))
		}
		add("a segment doubled", f.name, names(simJournal, func(n *simNode) { n.set(simName{segmentName(900 + i), f.node}) }))
	}
	_, blobs := base[simJournal].find("blobs")
	for _, sub := range base[blobs].names {
		for _, f := range base[sub.node].names {
			file(sub.node, f, len(base[f.node].data)/20)
			add("a blob that says something else", f.name, content(f.node, func([]byte) []byte { return new(journal).deflate([]byte("else")) }))
			add("a blob with more", f.name, content(f.node, func([]byte) []byte { return new(journal).deflate([]byte(large(1) + large(2))) }))
		}
	}
	return w, base, all
}

// TestNoTamperingIsSilent damages every record and file of a journal in every way.
// What happens is reported and blocks changes, or it was a last record that was not
// whole or that recovery finds out again, on which nothing rested. The host can go on
// in any case.
func TestNoTamperingIsSilent(t *testing.T) {
	for _, o := range []Options{{}, {Key: []byte("secret")}} {
		t.Run(map[bool]string{false: "without a key", true: "with a key"}[o.Key != nil], func(t *testing.T) {
			t.Parallel()
			w, base, all := tampered(t, o)
			count, harmless := map[string]int{}, 0
			for i, c := range all {
				if *powerCuts < 100 && (i+len(o.Key))%4 > 0 {
					continue // what takes long is for who asks for it
				}
				disk := slices.Clone(base)
				c.do(disk)
				count[c.kind]++
				blocked, err := w.on(disk).afterTampering()
				if err != nil {
					t.Errorf("%s, %s: %v", c.kind, c.name, err)
				}
				if !blocked {
					harmless++
				}
			}
			t.Logf("of the cases that were looked at, %d left a torn or repeatable end: %v", harmless, count)
			t.Logf("score: tamper %d ≥ 500 ways to tamper with a journal %s, none of those tried is silent", len(all), t.Name()[strings.LastIndex(t.Name(), "/")+1:])
			if len(all) < 500 {
				t.Errorf("%d cases, want 500", len(all))
			}
		})
	}
}

// afterTampering opens the workspace as the next process does, and has the host
// accept what blocks it.
func (w *simWorld) afterTampering() (blocked bool, err error) {
	if err := w.open(); err != nil {
		return false, err
	}
	defer func() { w.Close() }()
	r, err := w.RecoveryStatus(ctx)
	if err != nil {
		return false, err
	}
	write := func(name string) error {
		_, err := w.Write(ctx, by, WriteArgs{Path: name, Content: "x"})
		return err
	}
	switch {
	case !r.Blocked && len(r.Recovered) == 0 && len(r.Warnings) == 0:
		return false, fmt.Errorf("silent: %+v", r)
	case r.Blocked && len(r.Tampered) == 0:
		return true, fmt.Errorf("blocked without a reason: %+v", r)
	case r.Blocked:
		if write("meanwhile") == nil {
			return true, fmt.Errorf("a change was made: %+v", r)
		}
		if err := w.AcceptJournal(ctx, "test"); err != nil {
			return true, fmt.Errorf("accepting: %w", err)
		}
		// A change whose end was set aside may have been followed by others.
		after, err := w.RecoveryStatus(ctx)
		if err != nil || len(after.Tampered) > 0 {
			return true, fmt.Errorf("after accepting: %+v, %w", after, err)
		}
		for _, a := range after.Ambiguous {
			if err := w.Resolve(ctx, a.ChangeID, KeepCurrent); err != nil {
				return true, fmt.Errorf("resolving: %w", err)
			}
		}
	}
	if err := write("later"); err != nil {
		return r.Blocked, fmt.Errorf("a later change: %w", err)
	}
	if err := w.open(); err != nil {
		return r.Blocked, err
	}
	return r.Blocked, w.sound()
}

// TestAKeyFindsEachForgedRecord rewrites each record of a keyed journal, and the
// chain behind it, as somebody does who has all but the key.
func TestAKeyFindsEachForgedRecord(t *testing.T) {
	t.Parallel()
	key := []byte("secret")
	w, base, _ := tampered(t, Options{Key: key})
	forgers := map[string]chain{"without a key": {}, "with another key": {key: []byte("guess")}}
	cases := 0
	for name, forger := range forgers {
		for from := 0; ; from++ { // the first record that is forged
			disk := slices.Clone(base)
			read, write, at := chain{key: key}, forger, 0
			var last record
			for _, f := range base[simJournal].names {
				if _, ok := segmentNumber(f.name); !ok {
					continue
				}
				var out []byte
				for line := range bytes.Lines(base[f.node].data) {
					r, err := read.decode(bytes.TrimSuffix(line, newline), at == 0)
					if err != nil {
						t.Fatal(err)
					}
					if at < from {
						write.mac = read.mac
					} else {
						if at == from {
							r.Time = r.Time.Add(1)
							r.Reason += "forged"
						}
						if line, err = write.encode(r); err != nil {
							t.Fatal(err)
						}
					}
					last, at = *r, at+1
					out = append(out, line...)
				}
				n := *disk[f.node]
				n.data = out
				disk[f.node] = &n
			}
			if from >= at {
				break
			}
			_, head := base[simJournal].find("HEAD")
			forgedHead := newHeadOf(last.Seq, write)
			for _, with := range [][]byte{base[head].data, forgedHead, nil} {
				n := *disk[head]
				n.data = with
				d := slices.Clone(disk)
				d[head] = &n
				if blocked, err := w.on(d).afterTampering(); !blocked || err != nil {
					t.Errorf("record %d forged %s: blocked is %v, %v", from, name, blocked, err)
				}
				cases++
			}
		}
	}
	t.Logf("score: tamper %d ≥ 1 forgeries of a keyed journal, each of them found", cases)
}

// TestAKeyFindsAJournalThatWasCut: without the key nobody can write a HEAD for an
// earlier end.
func TestAKeyFindsAJournalThatWasCut(t *testing.T) {
	t.Parallel()
	w, base, _ := tampered(t, Options{Key: []byte("secret")})
	var last simName
	for _, f := range base[simJournal].names {
		if _, ok := segmentNumber(f.name); ok {
			last = f
		}
	}
	lines := strings.SplitAfter(string(base[last.node].data), "\n")
	for keep := 1; keep < len(lines)-2; keep++ {
		disk := slices.Clone(base)
		cut := strings.Join(lines[:keep], "")
		var end struct {
			Seq uint64
			MAC string
		}
		if err := json.Unmarshal([]byte(lines[keep-1]), &end); err != nil {
			t.Fatal(err)
		}
		_, h := base[simJournal].find("HEAD")
		disk[last.node] = &simNode{mode: 0o600, data: []byte(cut)}
		disk[h] = &simNode{mode: 0o600, data: newHeadOf(end.Seq, chain{mac: end.MAC})}
		if blocked, err := w.on(disk).afterTampering(); !blocked || err != nil {
			t.Errorf("cut to %d records: blocked is %v, %v", keep, blocked, err)
		}
	}
}

// newHeadOf is the HEAD of a journal that ends in a record.
func newHeadOf(seq uint64, c chain) []byte {
	b, err := json.Marshal((&journal{seq: seq, chain: c}).newHead())
	if err != nil {
		panic(err)
	}
	return b
}
