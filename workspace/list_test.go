package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arcseat/arc"
	"pgregory.net/rapid"
)

func (p *project) list(a ListArgs) *ListResult {
	p.t.Helper()
	r, err := p.List(ctx, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// tree is a project with one of each.
func tree(t testing.TB) *project {
	p := newProject(t, map[string]string{
		".gitignore": "*.log\nnode_modules/\n/secret\n!dir/keep.log\n", ".arcignore": "notes.txt\n", ".git/config": "", ".git/info/exclude": "excluded\n",
		"a.go": "", "a/z.go": "", "a-b": "", "bin/tool": "", "out/x": "", "debug.log": "", "dir/keep.log": "", "dir/debug.log": "",
		"node_modules/p/index.js": "", "secret": "", "notes.txt": "", "excluded": "", "only/ignored.log": "",
		"sub/.gitignore": "gen\n", "sub/gen": "", "sub/keep": "", ".arc-change_1_abcd.tmp": "",
	})
	if err := os.Mkdir(p.path("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", p.path("link")); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		args   ListArgs
		header string
		text   string
	}{
		{"the whole tree, ignored entries counted", ListArgs{},
			`{"path":".","count":14,"total":14,"truncated":false,"ignored":8}`,
			".arcignore\n.gitignore\na/\n z.go\na-b\na.go\nbin/\n tool\ndir/\n keep.log\nempty/\nlink@\nnode_modules/ (ignored)\nonly/\nout/\n x\nsub/\n .gitignore\n keep"},
		{"one level, nothing ignored", ListArgs{Recursive: new(false)},
			`{"path":".","count":17,"total":17,"truncated":false}`,
			".arcignore\n.gitignore\na/\na-b\na.go\nbin/\ndebug.log\ndir/\nempty/\nexcluded\nlink@\nnode_modules/\nnotes.txt\nonly/\nout/\nsecret\nsub/"},
		{"a directory, by the rules above it", ListArgs{Path: "dir"},
			`{"path":"dir","count":1,"total":1,"truncated":false,"ignored":1}`, "dir/\n keep.log"},
		{"an ignored directory that is named shows everything", ListArgs{Path: "node_modules"},
			`{"path":"node_modules","count":1,"total":1,"truncated":false}`, "node_modules/p/\n index.js"},
		{"a directory by a trailing slash", ListArgs{Path: "./out/"},
			`{"path":"out","count":1,"total":1,"truncated":false}`, "out/\n x"},
		{"through a link, and where it led", ListArgs{Path: "link"},
			`{"path":"link","resolved_path":"a","count":1,"total":1,"truncated":false}`, "link/\n z.go"},
		{"an empty directory", ListArgs{Path: "empty"}, `{"path":"empty","count":0,"total":0,"truncated":false}`, ""},
		{"the first page and where the next begins", ListArgs{Limit: 2},
			`{"path":".","count":2,"total":14,"truncated":true,"next_offset":2,"ignored":8}`, ".arcignore\n.gitignore"},
		{"a page from the middle of a directory", ListArgs{Limit: 1, Offset: 13},
			`{"path":".","count":1,"total":14,"truncated":false,"ignored":8,"snapshot_expired":true}`, "sub/\n keep"},
		{"a limit over 2000 is lowered and told", ListArgs{Path: "out", Limit: 9999},
			`{"path":"out","count":1,"total":1,"truncated":false,"limit":2000}`, "out/\n x"},
		{".git when it is named", ListArgs{Path: ".git"}, `{"path":".git","count":2,"total":2,"truncated":false}`, ".git/\n config\n.git/info/\n exclude"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := tree(t).list(c.args)
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if string(b) != c.header {
				t.Errorf("header is\n%s, want\n%s", b, c.header)
			}
			if r.Text != c.text {
				t.Errorf("text is\n%q, want\n%q", r.Text, c.text)
			}
			if len(r.Entries) != r.Count {
				t.Errorf("%d entries are counted as %d", len(r.Entries), r.Count)
			}
		})
	}
}

func TestListEntriesHaveWholePaths(t *testing.T) {
	t.Parallel()
	want := []string{"a/z.go", "a-b", "a.go", "bin/tool", "dir/keep.log", "empty/", "link@", "node_modules/ (ignored)", "only/"}
	if got := tree(t).list(ListArgs{}).Entries[2:11]; !slices.Equal(got, want) {
		t.Errorf("entries are %q, want %q", got, want)
	}
}

func TestListMarksPipesSocketsAndDevices(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	var want []string
	for name := range special(t, p) {
		want = append(want, name+"!")
	}
	slices.Sort(want)
	if got := p.list(ListArgs{}).Entries; !slices.Equal(got, want) {
		t.Errorf("entries are %q, want %q", got, want)
	}
}

func TestListHidesGitByEveryNameAndTheJournal(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{".GIT/config": "", "nested/.git/config": "", "f": "", "gift": "", ".github/ci": ""})
	p.state = p.path("state")
	if err := os.Mkdir(p.state, 0o700); err != nil {
		t.Fatal(err)
	}
	p.open(nil)
	if got, want := p.list(ListArgs{}).Entries, []string{".github/ci", "f", "gift", "nested/"}; !slices.Equal(got, want) {
		t.Errorf("entries are %q, want %q", got, want)
	}
	if _, err := p.List(ctx, ListArgs{Path: "state/journal"}); err == nil {
		t.Error("the journal is listed")
	}
}

// TestStateInsideTheProject: what the host keeps in it, outputs of commands
// among it, is no part of the project.
func TestStateInsideTheProject(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"f": "needle", "d/state/spool/sp_1": "needle"})
	p.state = p.path("d/state")
	if err := os.Chmod(p.state, 0o700); err != nil {
		t.Fatal(err)
	}
	p.open(nil)
	if got := p.list(ListArgs{}).Entries; !slices.Equal(got, []string{"d/", "f"}) {
		t.Errorf("entries are %q", got)
	}
	if r, err := p.Search(ctx, SearchArgs{Query: "needle"}); err != nil || r.Matches != 1 {
		t.Errorf("search finds %+v, %v", r, err)
	}
	_, err := p.Write(ctx, by, WriteArgs{Path: "d/state/spool/sp_2", Content: "x"})
	wantCode(t, err, ProtectedPath)
	_, err = p.Read(ctx, ReadArgs{Path: "d/state/spool/sp_1"})
	wantCode(t, err, ProtectedPath)

}

func TestListNamesThatCouldPassForMoreAreQuoted(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a\nb": "", " x": "", "\xff": "", "node_modules (ignored)": "", "d\n/y": "", "ordinary (1).txt": "", "é x": "", "x@": "", "x!": "", "x@y!z": ""})
	want := "\" x\"\n\"a\\nb\"\n\"d\\n/\"\n y\n\"node_modules (ignored)\"\nordinary (1).txt\n\"x!\"\n\"x@\"\nx@y!z\né x\n\"\\xff\""
	if got := p.list(ListArgs{}).Text; got != want {
		t.Errorf("text is\n%s, want\n%s", got, want)
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	p := tree(t)
	for _, c := range []struct {
		name string
		args ListArgs
		code arc.Code
	}{
		{"a file", ListArgs{Path: "a.go"}, arc.NotADirectory},
		{"nothing", ListArgs{Path: "nope"}, arc.NotFound},
		{"the way out", ListArgs{Path: "../"}, arc.InvalidPath},
		{"an offset behind the end", ListArgs{Offset: 15}, arc.OutOfRange},
		{"a negative limit", ListArgs{Limit: -1}, arc.InvalidArguments},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := p.List(ctx, c.args)
			wantCode(t, err, c.code)
		})
	}
	t.Run("a call that has ended", func(t *testing.T) {
		t.Parallel()
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := p.List(ended, ListArgs{}); err != context.Canceled {
			t.Errorf("error is %v", err)
		}
	})
}

// TestPagesOfAListJoin: pages of any size are the whole list, whatever changes
// between them, and are in path order.
func TestPagesOfAListJoin(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	name := rapid.StringMatching(`[ab.\-é!]{1,3}(/[ab.\-é!]{1,2}){0,3}`)
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		made++
		top := fmt.Sprintf("t%d", made)
		for _, n := range rapid.SliceOfN(name, 0, 30).Draw(t, "names") {
			if strings.Contains("/"+n+"/", "/./") || strings.Contains("/"+n+"/", "/../") {
				continue
			}
			at := p.path(top + "/" + n)
			if os.MkdirAll(at[:strings.LastIndexByte(at, '/')], 0o755) == nil {
				os.WriteFile(at, nil, 0o644) // fails where a directory stands
			}
		}
		if err := os.MkdirAll(p.path(top), 0o755); err != nil {
			t.Fatal(err)
		}
		whole, err := p.List(ctx, ListArgs{Path: top, Limit: 2000})
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(whole.Entries); i++ {
			if comparePaths(relPath(whole.Entries[i-1]), relPath(whole.Entries[i])) >= 0 {
				t.Fatalf("%q stands before %q", whole.Entries[i-1], whole.Entries[i])
			}
		}
		var joined []string
		for a := (ListArgs{Path: top, Limit: rapid.IntRange(1, 9).Draw(t, "limit")}); ; {
			r, err := p.List(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			if r.SnapshotExpired || r.Total != whole.Total {
				t.Fatalf("page at %d is of another list: %+v", a.Offset, r)
			}
			joined = append(joined, r.Entries...)
			if r.Next == nil {
				break
			}
			a = r.Next.Arguments.(ListArgs)
			p.put(fmt.Sprintf("%s/new%d", top, len(joined)), "")
		}
		if !slices.Equal(joined, whole.Entries) {
			t.Fatalf("pages join to %q, the whole is %q", joined, whole.Entries)
		}
	})
}

func TestAPageOfLongNamesEndsAt64KiB(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 700 {
		files[fmt.Sprintf("%s%03d", strings.Repeat("n", 200), i)] = ""
	}
	p := newProject(t, files)
	r := p.list(ListArgs{Limit: 2000})
	if len(r.Text) > 64<<10 || r.Count != 321 || r.NextOffset != 321 || r.Total != 700 {
		t.Errorf("%d bytes, %d entries of %d, next %d", len(r.Text), r.Count, r.Total, r.NextOffset)
	}
}

func TestSnapshotsAreFewAndShortLived(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	s := newSnapshots()
	s.now = func() time.Time { return now }
	key := func(i int) listKey { return listKey{relPath(fmt.Sprint(i)), true} }
	for i := range maxSnapshots + 1 {
		s.put(key(i), &listing{})
	}
	if s.get(key(0), "") != nil || s.get(key(1), "") == nil {
		t.Error("the oldest, and it alone, makes room")
	}
	now = now.Add(snapshotLife + 1)
	if s.get(key(1), "") != nil || len(s.kept) != 0 {
		t.Error("one lives longer than it may")
	}
	big := func() *listing {
		return &listing{names: [][]byte{make([]byte, maxSnapshotBytes+1)}}
	}
	s.put(key(1), big())
	if s.get(key(1), "") == nil {
		t.Error("the newest stays whatever its size")
	}
	s.put(key(2), big())
	if s.get(key(1), "") != nil || s.get(key(2), "") == nil {
		t.Error("together they are too large")
	}
}

// TestPagesOfTwoCallersListsJoin: who lists the same directory meanwhile took the
// list away that another was in the middle of, and an entry of it was lost.
func TestPagesOfTwoCallersListsJoin(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"b": "", "c": "", "d": "", "e": ""})
	s := p.session()
	args := func(r *arc.Result) json.RawMessage {
		b, err := json.Marshal(r.Next.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	call := arc.Call{Name: "workspace_list", Args: json.RawMessage(`{"limit":2}`)}
	one := s.Call(ctx, call)
	p.put("a", "")
	other := s.Call(ctx, call)
	os.Remove(p.path("b"))
	for _, c := range []struct {
		first *arc.Result
		want  string
	}{{one, "b c d e"}, {other, "a b c d e"}} {
		got := strings.Fields(c.first.Body)
		for r := c.first; r.Next != nil; {
			r = s.Call(ctx, arc.Call{Name: "workspace_list", Args: args(r)})
			if r.Err != nil || r.Data.(*ListResult).SnapshotExpired {
				t.Fatalf("%s", r)
			}
			got = append(got, strings.Fields(r.Body)...)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("pages join to %q, want %s", got, c.want)
		}
	}
	t.Run("without a name the newest is meant", func(t *testing.T) {
		if r := p.list(ListArgs{Limit: 2, Offset: 2}); r.SnapshotExpired || r.Total != 5 {
			t.Errorf("list is %+v", r)
		}
	})
	t.Run("a name of another directory's list is of none", func(t *testing.T) {
		p.put("sub/f", "")
		a := one.Next.Arguments.(ListArgs)
		a.Path, a.Offset = "sub", 0
		if r := p.list(a); !r.SnapshotExpired || r.Total != 1 {
			t.Errorf("list is %+v", r)
		}
	})
	t.Run("lists that are the same are kept once", func(t *testing.T) {
		before := len(p.snapshots.kept)
		a := p.list(ListArgs{Limit: 1}).Next.Arguments.(ListArgs)
		b := p.list(ListArgs{Limit: 1}).Next.Arguments.(ListArgs)
		if a != b || len(p.snapshots.kept) != before+1 {
			t.Errorf("%+v and %+v, %d are kept", a, b, len(p.snapshots.kept))
		}
	})
}

func TestAnExpiredListSaysSo(t *testing.T) {
	t.Parallel()
	p := tree(t)
	now := time.Now()
	p.snapshots.now = func() time.Time { return now }
	next := p.list(ListArgs{Limit: 3}).Next.Arguments.(ListArgs)
	if p.list(next).SnapshotExpired {
		t.Error("the list expired at once")
	}
	now = now.Add(snapshotLife + time.Second)
	if !p.list(next).SnapshotExpired {
		t.Error("an expired list is served")
	}
}

func TestALinkInPlaceOfAnIgnoreFileIsNone(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"patterns": "f\n", "f": ""})
	if err := os.Symlink("patterns", p.path(".gitignore")); err != nil {
		t.Fatal(err)
	}
	if got, want := p.list(ListArgs{}).Entries, []string{".gitignore@", "f", "patterns"}; !slices.Equal(got, want) {
		t.Errorf("entries are %q, want %q", got, want)
	}
}

func TestAListThatIsTooLongSaysThatItsTotalIsNotExact(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a": "", "b": "", "c": ""})
	for most, want := range map[int]string{
		2: `{"path":"","count":1,"total":2,"total_exact":false,"truncated":true}`,
		3: `{"path":"","count":2,"total":3,"truncated":false}`,
	} {
		l, err := p.listing(ctx, listKey{".", true}, most)
		if err != nil {
			t.Fatal(err)
		}
		var r ListResult
		r.page(l, 1, 10)
		if b, err := json.Marshal(r); err != nil || string(b) != want {
			t.Errorf("the last page of at most %d entries is %s, want %s (%v)", most, b, want, err)
		}
	}
}

// TestADirectoryThatBecomesALinkIsNotWalked: what a walk saw as a directory may be
// a link to the outside when it is entered.
func TestADirectoryThatBecomesALinkIsNotWalked(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("needle"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProject(t, map[string]string{"d/f": "needle", "z": "needle"})
	p.root = swapper{p.root, func(name string) {
		if name == "d" {
			os.Remove(p.path("d/f"))
			os.Remove(p.path("d"))
			if err := os.Symlink(outside, p.path("d")); err != nil && !os.IsExist(err) {
				t.Error(err)
			}
		}
	}}
	if r := p.list(ListArgs{}); r.Text != "d/\nz" || r.Unreadable != 1 {
		t.Errorf("list is %q, %d unreadable", r.Text, r.Unreadable)
	}
	if r := p.search(SearchArgs{Query: "needle"}); r.Text != "z\n1: needle" {
		t.Errorf("search finds %q", r.Text)
	}
}

// A swapper is a folder where something happens just before a directory is
// opened.
type swapper struct {
	folder
	before func(name string)
}

func (s swapper) openDir(name string) (folder, error) {
	s.before(name)
	return s.folder.openDir(name)
}

func TestAWalkStopsAtADepthAndSaysSo(t *testing.T) {
	t.Parallel()
	deep := strings.TrimSuffix(strings.Repeat("d/", maxDepth+3), "/")
	p := newProject(t, map[string]string{deep + "/needle": "needle", "z": "needle"})
	r := p.list(ListArgs{})
	want := []string{strings.TrimSuffix(strings.Repeat("d/", maxDepth), "/") + "/", "z"}
	if !slices.Equal(r.Entries, want) || r.Unreadable != 1 {
		t.Errorf("entries are %q, %d unreadable", r.Entries, r.Unreadable)
	}
	if s := p.search(SearchArgs{Query: "needle"}); s.Matches != 1 || s.Skipped.Unreadable != 1 {
		t.Errorf("search is %+v", s)
	}
	if s := p.search(SearchArgs{Query: "needle", Path: deep}); s.Matches != 1 {
		t.Errorf("search from where it stopped is %+v", s)
	}
}

// TestAPathThatIsTooLongToNameIsNotWalked: below it, an entry could be larger than
// a page, which would then be empty and lead to itself.
func TestAPathThatIsTooLongToNameIsNotWalked(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"z": "needle"})
	d, err := os.OpenRoot(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 80 {
		name := strings.Repeat("\x01", 250) // four times as long when it is quoted
		if err := d.Mkdir(name, 0o755); err != nil {
			t.Skip(err)
		}
		next, err := d.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
		d = next
	}
	defer d.Close()
	if err := d.WriteFile("f", []byte("needle"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := p.list(ListArgs{})
	if r.Count != 2 || r.Total != 2 || r.Truncated || r.Unreadable != 1 {
		t.Errorf("%d of %d entries, truncated %v, %d unreadable", r.Count, r.Total, r.Truncated, r.Unreadable)
	}
	if s := p.search(SearchArgs{Query: "needle"}); s.Matches != 1 || s.Truncated || s.Skipped.Unreadable != 1 {
		t.Errorf("search is %+v", s)
	}
}

func TestPathOrderHasSlashLowest(t *testing.T) {
	t.Parallel()
	sorted := []relPath{"a", "a/b", "a/b/c", "a/c", "a b", "a!b", "a-b", "a.b", "aa", "b"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := comparePaths(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q to %q compares as %d", a, b, got)
			}
		}
	}
}
