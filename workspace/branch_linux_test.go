package workspace

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNoDescriptorIsLeft: bare descriptors have nobody who closes them in the end,
// so each way out of a walk must. It is not parallel: others open files too.
func TestNoDescriptorIsLeft(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/e%d/f%d", i%7, i%31, i)] = "needle\n"
	}
	p := newProject(t, files)
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	before := open()
	for _, do := range []func() error{
		func() error { _, err := p.Search(ctx, SearchArgs{Query: "needle", Limit: 500}); return err },
		func() error { _, err := p.Search(ctx, SearchArgs{Query: "needle", Limit: 1}); return err },
		func() error {
			_, err := p.Search(ctx, SearchArgs{Query: "needle", Limit: 1, After: "d3/e3/f3:1", Path: "d3"})
			return err
		},
		func() error { _, err := p.List(ctx, ListArgs{}); return err },
		func() error { _, err := p.List(ctx, ListArgs{Recursive: new(false)}); return err },
		func() error { _, err := p.listing(ctx, listKey{".", true}, 20); return err },
		func() error { _, err := p.listingIn(ctx, ended, listKey{".", true}, 20); return ignoreEnd(err) },
		func() error { _, err := p.Search(ended, SearchArgs{Query: "needle"}); return ignoreEnd(err) },
		func() error {
			if err := p.notFound(ctx, "d1/nope"); err == nil {
				t.Error("nothing is found")
			}
			return nil
		},
	} {
		if err := do(); err != nil {
			t.Error(err)
		}
	}
	for n := range 40 { // the walk ends at any of its entries
		at, err := p.resolve(ctx, ".")
		if err != nil {
			t.Fatal(err)
		}
		w := walk{ws: p.Workspace}
		if err := w.start(ctx, at); err != nil {
			t.Fatal(err)
		}
		for range n {
			if _, err := w.next(ctx); err != nil {
				t.Fatal(err)
			}
		}
		w.stop()
		at.Close()
	}
	if after := open(); after != before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}

func ignoreEnd(err error) error {
	if err == context.Canceled {
		return nil
	}
	return err
}

// TestAFileOfABareDescriptor: it ends where the file did when its size was seen,
// whatever the size of the buffer.
func TestAFileOfABareDescriptor(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 1000)
	p := newProject(t, map[string]string{"f": text, "empty": ""})
	b, ok := p.rootBranch().(*fdBranch)
	if !ok {
		t.Skip("this run is the portable one")
	}
	defer b.Close()
	for _, whole := range []bool{true, false} { // whether a short read is taken for the end
		b.whole = whole
		for _, size := range []int{1, 3, 4096, len(text) - 1, len(text), len(text) + 1, 1 << 20} {
			f, err := b.open("f")
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			if _, err := io.CopyBuffer(&got, struct{ io.Reader }{f}, make([]byte, size)); err != nil || got.String() != text {
				t.Errorf("%d bytes come through a buffer of %d, %v", got.Len(), size, err)
			}
			f.Close()
		}
		f, err := b.open("empty")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); len(got) != 0 || err != nil {
			t.Errorf("an empty file has %q, %v", got, err)
		}
		f.Close()
	}
	t.Run("one that grows for ever ends", func(t *testing.T) {
		f, err := b.open("f")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := os.OpenFile(p.path("f"), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		buf, total := make([]byte, 1000), 0
		for total < 10*readBuffer {
			n, err := f.Read(buf)
			total += n
			if err == io.EOF {
				break
			}
			if _, err := w.Write(make([]byte, 2*len(buf))); err != nil {
				t.Fatal(err)
			}
		}
		if want := len(text) + readBuffer; total != want {
			t.Errorf("%d bytes were read, want %d", total, want)
		}
	})
}

// TestAReadThatStopsShortIsNotTheEnd: before what a disk cannot give any more a read
// stops at the end of a page, and only the next one fails. A socket stops so too.
func TestAReadThatStopsShortIsNotTheEnd(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Skip(err)
	}
	for _, size := range []int{2 * readsStop, 10} {
		if _, err := unix.Write(ends[1], make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	unix.Close(ends[1])
	f := &fdFile{fd: ends[0], whole: true}
	defer f.Close()
	if b, err := io.ReadAll(bufio.NewReaderSize(f, 10*readsStop)); err != nil || len(b) != 2*readsStop+10 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

func TestADirectoryHasAnEndThatOneReadMayShow(t *testing.T) {
	t.Parallel()
	dirent := func(next uint64) []byte {
		b := binary.NativeEndian.AppendUint64(nil, 1)
		b = binary.NativeEndian.AppendUint64(b, next)
		b = binary.NativeEndian.AppendUint16(b, 24)
		return append(b, unix.DT_REG, 'a', 'b', 0, 0, 0)
	}
	for _, c := range []struct {
		name  string
		whole bool
		buf   []byte
		last  bool
		names string
	}{
		{"behind the largest position there is nothing", true, append(dirent(7), dirent(math.MaxInt64)...), true, "abab"},
		{"the largest position in the middle ends nothing", true, append(dirent(math.MaxInt64), dirent(7)...), false, "abab"},
		{"a file system of unknown kind is asked again", false, dirent(math.MaxInt64), false, "ab"},
		{"half an entry ends nothing", true, append(dirent(math.MaxInt64), dirent(7)[:20]...), false, "ab"},
		{"nothing ends nothing", true, nil, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := fdBranch{whole: c.whole, shared: &fdShared{}}
			if last := b.take(c.buf); last != c.last || string(b.shared.names) != c.names {
				t.Errorf("last is %v, names are %q", last, b.shared.names)
			}
		})
	}
}
