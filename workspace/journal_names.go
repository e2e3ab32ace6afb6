package workspace

import "strings"

// journalNames are what stands in the journal's folder.
type journalNames struct {
	segments []int    // their numbers, in order
	odd      []string // where something else stands than what this package makes: reading it might never end
	begun    []string // what a process that died was about to put in a segment's place
	unsynced bool     // see unsyncedMark

	rewritten bool // the newest segment was
}

// names reads the names in the journal's folder.
func (j *journal) names() (found journalNames, err error) {
	entries, err := j.dir.readDir()
	if err != nil {
		return found, err
	}
	for _, e := range entries {
		name := e.Name()
		n, ok := segmentNumber(name)
		of, isBegun := strings.CutSuffix(name, begunSuffix)
		switch {
		case name == "blobs" || name == keptFolder:
			if !e.IsDir() {
				found.odd = append(found.odd, name)
			}
		case isBegun && e.Type().IsRegular():
			if _, ok := segmentNumber(of); ok {
				found.begun = append(found.begun, name)
			}
		case !ok && name != "HEAD" && name != unsyncedMark:
		case !e.Type().IsRegular():
			found.odd = append(found.odd, name)
		case name == unsyncedMark:
			found.unsynced = true
		case ok:
			found.segments = append(found.segments, n)
		}
	}
	return found, nil
}

func segmentNumber(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "seg-")
	if !ok {
		return 0, false
	}
	digits, ok = strings.CutSuffix(digits, ".jsonl")
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, ok && segmentName(n) == name
}

// removeBegun removes what processes that died left of files that they were writing.
// Nothing rests on it, so that it may fail. Of blobs, a prune does this.
func (j *journal) removeBegun(found journalNames) {
	for _, name := range found.begun {
		_ = j.dir.remove(name)
	}
	d, err := j.dir.openDir(keptFolder)
	if err != nil {
		return
	}
	defer d.Close()
	entries, _ := d.readDir()
	for _, e := range entries {
		of, ok := strings.CutSuffix(e.Name(), begunSuffix)
		if ok && e.Type().IsRegular() && (isChangeID(of) || strings.HasPrefix(of, refusedPrefix)) {
			_ = d.remove(e.Name())
		}
	}
}
