// Package workspace is the project folder of an agent: it lists, reads and
// searches files, changes them under a compare-and-swap of their content, and can
// take every change back.
//
// # Overview
//
// [Open] a folder, and its [Workspace] is a Go library (List, Read, Search, Write,
// Edit, History, Undo, RecoveryStatus) and a provider of eight tools of the same
// names. A change names the SHA-256 of the version that it is based on. It is
// written to a journal outside of the project before it is made, it is made by
// exchanging two files, and the file that comes out of the exchange is looked at:
// if somebody saved in the last moment, both files go back and the change is
// refused as stale. Nothing is lost: what can no longer go back is kept, and
// [Workspace.ConflictCopy] tells the host where.
//
// An edit replaces exact text and no byte outside of it. There is no approximate
// matching; the error shows what is close. Undo takes back one change and only
// if the file is still as that change left it; it is a change itself. There is no
// shadow repository and no restoring of whole trees.
//
// # Usage
//
//	ws, err := workspace.Open(dir, nil)
//	…
//	r, err := ws.Read(ctx, workspace.ReadArgs{Path: "main.go"})
//	…
//	e, err := ws.Edit(ctx, arc.Origin{}, workspace.EditArgs{
//		Path: "main.go", OldString: "helo", NewString: "hello", ExpectedSHA256: string(r.SHA256),
//	})
//	…
//	_, err = ws.Undo(ctx, arc.Origin{}, workspace.UndoArgs{ChangeID: e.ChangeID})
//
// # Trust
//
// Paths, patterns and file contents are hostile. A path is followed from the
// project's own directory handle, element by element: no link, rename or ".."
// reaches outside, also while another process tries. Pipes and devices are not
// opened. Changes to .git are refused under any spelling of its name, and so are
// changes to the journal. Who can write to the project can change its files
// behind the journal's back, which the hashes show; who can write to the state
// directory can rewrite the journal, which only [Options.Key] shows.
//
// # Durability
//
// By default an acknowledged change has survived a power cut: the intent and the
// new file are synced side by side before the exchange, the directory after it.
// After a crash each file is old or new, and Open finds out which. Where the
// files don't tell, because somebody else changed them too, changes are blocked
// until the host calls [Workspace.Resolve]; reading goes on. So it does where the
// journal was damaged, until [Workspace.AcceptJournal]. A power cut in the moment in
// which a change begins may leave a file .arc-change_….tmp of which the journal does
// not know; it is of no use to anybody.
//
// What a sync could not write is gone from the disk, though it reads back until the power
// is cut: the process whose turn is next writes it anew before it builds on it. One case is
// left: a process makes sure of what others left unsynced, the disk fails at that, the
// process dies in the same instant, and after two more changes the power is cut. Then the
// journal has a hole, and changes are blocked as above.
//
// Tests make every disk that a power cut may leave, of what was not synced any part,
// and let each call of each change fail with each error that a system has. Of the
// long run (make long-files) these are the counts: 3,990 disks after a cut and 32,826 after
// a kill and a cut, 1,867 faults told, 1,182 ways to tamper; 1,000 processes killed, a
// quarter each on two tmpfs, ext4 and overlayfs; 10,000 changes by two processes and as
// many by eight; 5,000 each of three kinds against a program that saves the same file all
// the time; 10,024 decisions as git makes them.
//
// Where the file system cannot exchange two files (some network and FUSE file
// systems, and all but Linux so far) the file is hashed once more just before the
// rename; a version saved in the instant between is replaced unseen, and results
// say so in "swap". A program that holds the old file open and writes to it while the
// change is made is found out: what it wrote is kept as a conflict copy, and the
// result warns of a late_write. After the change it writes to a file that has no name
// any more, as it would after any program's save.
//
// Hard links are broken by a change, owner and extended attributes are kept where
// the system allows it, sparse files become full. A file that an undo brings back has the
// content and the mode that it had; its owner, attributes and access control list are
// those of a new file in its directory, since the journal does not hold them.
//
// # Concurrency
//
// A Workspace is safe for concurrent use, and several processes may have the same
// project open: changes take turns by a lock in the state directory, and one waits
// at most 5 seconds for another process's (locked). Reading waits for nobody.
// A context ends a change before its intent is written and not after.
//
// # Errors
//
// All are *arc.Error, but for a context's own; each method names its codes. The
// message says what to do next, and details carry what a retry needs.
//
// # Platforms
//
// Linux is tested, where lists and searches use the kernel's own calls; the way
// that other systems go passes the same tests there. On those the package builds
// and has not been tried. What a search, a list and a change cost is in benchmarks.md.
package workspace
