//go:build linux

package shell_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/shell"
)

func TestOutput(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := run(t, sh, shell.ExecArgs{Command: "printf 'aé漢😀z'"}) // 1 + 2 + 3 + 4 + 1 bytes
	page := func(offset int64, size int) (*shell.OutputResult, error) {
		return sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID, Offset: offset, MaxBytes: &size})
	}
	for _, c := range []struct {
		name   string
		offset int64
		size   int
		output string
		bytes  int64
		eof    bool
	}{
		{"the whole", 0, 100, "aé漢😀z", 11, true},
		{"a page ends before a cut character", 0, 5, "aé", 3, false},
		{"a page that fits exactly", 0, 6, "aé漢", 6, false},
		{"a page moves on though it was asked for less than a character", 6, 1, "😀", 4, false},
		{"an offset inside a character", 4, 100, "\uFFFD\uFFFD😀z", 7, true},
		{"the end", 11, 100, "", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := page(c.offset, c.size)
			if err != nil || p.Output != c.output || p.Bytes != c.bytes || p.EOF != c.eof || p.Offset != c.offset || p.TotalBytes != 11 || p.Running {
				t.Errorf("the page is %+v, %v", p, err)
			}
			if (p.Next == nil) != c.eof {
				t.Errorf("the next call is %+v", p.Next)
			}
		})
	}
	_, err := page(12, 10)
	if e := wantCode(t, err, arc.OutOfRange); fmt.Sprint(e.Detail) != "map[total:11]" {
		t.Errorf("detail is %v", e.Detail)
	}
	_, err = page(-1, 10)
	wantCode(t, err, arc.InvalidArguments)
	_, err = page(0, 0)
	wantCode(t, err, arc.InvalidArguments)
	_, err = sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: "sp_../x"})
	wantCode(t, err, arc.NotFound)
}

func TestAPageNeverPassesItsBytesThoughInvalidOnesGrow(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := run(t, sh, shell.ExecArgs{Command: "echo text first; head -c 100000 /dev/zero | tr '\\0' '\\377'"})
	want := "text first\n" + strings.Repeat("\uFFFD", 100000)
	if got := whole(t, sh, r.SpoolID, nil); got != want {
		t.Errorf("joined pages have %d bytes, want %d", len(got), len(want))
	}
	p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID})
	if err != nil || len(p.Output) > 64<<10 || p.Bytes >= 64<<10 {
		t.Errorf("a page has %d bytes of text for %d, %v", len(p.Output), p.Bytes, err)
	}
}

func TestARunningCommandsOutput(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := background(t, sh, `printf 'a\xe6\xbc'; while [ ! -e go ]; do sleep 0.01; done; printf '\xa2z'`)
	await(t, "the output", func() bool {
		p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID})
		return err == nil && p.TotalBytes == 3
	})
	p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID})
	if err != nil || p.Output != "a" || p.Bytes != 1 || p.EOF || !p.Running || p.Next == nil {
		t.Errorf("half a character: %+v, %v", p, err)
	}
	p, err = sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID, Offset: 1})
	if err != nil || p.Output != "" || p.Bytes != 0 || p.EOF || p.Hint == "" || p.Next != nil {
		t.Errorf("nothing new: %+v, %v", p, err)
	}
	if err := os.WriteFile(filepath.Join(r.Cwd, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := whole(t, sh, r.SpoolID, new(4)); got != "a漢z" {
		t.Errorf("joined pages are %q", got)
	}
}

// A head-only cut hides a test's summary, and the command is run again.
func TestAPreview(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := run(t, sh, shell.ExecArgs{Command: "for ((i=1; i<=9000; i++)); do echo line $i; done; echo the summary"})
	head, rest, ok := strings.Cut(r.Output, "\n[")
	marker, tail, ok2 := strings.Cut(rest, "]\n")
	if !ok || !ok2 || !strings.HasPrefix(head, "line 1\n") || !strings.HasSuffix(tail, "line 9000\nthe summary\n") {
		t.Fatalf("the preview is %q", r.Output)
	}
	if len(r.Output) > 17<<10 || len(head) < 3<<10 || len(tail) < 10<<10 {
		t.Errorf("head %d, tail %d bytes", len(head), len(tail))
	}
	wantMarker := fmt.Sprintf(`bytes omitted; see shell_output {"spool_id":"%s","offset":%d,"max_bytes":%d}`, r.SpoolID, r.Omitted.Offset, min(r.Omitted.Bytes, 65536))
	if !strings.HasSuffix(marker, wantMarker) {
		t.Errorf("the marker is %q, want …%q", marker, wantMarker)
	}
	if !r.Truncated || r.Next == nil || r.Next.Tool != "shell_output" {
		t.Errorf("truncated %v, next %+v", r.Truncated, r.Next)
	}
	all := whole(t, sh, r.SpoolID, nil)
	if all != head+"\n"+all[r.Omitted.Offset:r.Omitted.Offset+r.Omitted.Bytes]+tail {
		t.Error("head, what is omitted, and tail are not the whole")
	}
}

func TestAPreviewOfOneEndlessLineIsCutAtCharacters(t *testing.T) {
	t.Parallel()
	sh := open(t, nil)
	r := run(t, sh, shell.ExecArgs{Command: "printf '漢%.0s' {1..20000}"})
	if !utf8.ValidString(r.Output) || strings.Contains(r.Output, "\uFFFD") || r.Omitted == nil || r.Omitted.Offset%3 != 0 || r.Omitted.Bytes%3 != 0 {
		t.Errorf("omitted is %+v", r.Omitted)
	}
}

func TestAnOutputBeyondItsCap(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{SpoolBytes: 1000, SpoolTail: 100, PreviewBytes: 400}})
	for _, c := range []struct {
		name    string
		bytes   int
		gap     int64
		dropped int64
	}{
		{"just full", 1000, 0, 0},
		{"the tail takes what is over", 1100, 0, 0},
		{"the middle is lost, and said to be", 200_000, 198_900, 198_900},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, sh, shell.ExecArgs{Command: fmt.Sprintf("seq -f %%08.0f 1 %d | head -c %d", c.bytes/9+1, c.bytes)})
			var want strings.Builder
			for i := 1; want.Len() < c.bytes; i++ {
				fmt.Fprintf(&want, "%08d\n", i)
			}
			all := want.String()[:c.bytes]
			if r.OutputBytes != int64(c.bytes) || r.DroppedBytes != c.dropped || !strings.HasSuffix(r.Output, all[len(all)-50:]) {
				t.Errorf("the answer is %+v", r)
			}
			if c.gap > 0 {
				all = all[:1000] + "[198,900 bytes were not kept]\n" + all[len(all)-100:]
				p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID, Offset: 1000})
				if err != nil || !p.Gap || p.Bytes != c.gap || p.TotalBytes != int64(c.bytes) {
					t.Errorf("the gap is %+v, %v", p, err)
				}
			}
			for _, size := range []int{1, 7, 64, 65536} {
				if got := whole(t, sh, r.SpoolID, &size); got != all {
					t.Errorf("pages of %d joined have %d bytes, want %d", size, len(got), len(all))
				}
			}
		})
	}
}

func TestAFullDiskDoesNotStopACommand(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{KeepBytes: 10_000, SpoolTail: 500}})
	r := run(t, sh, shell.ExecArgs{Command: "yes | head -c 1000000; exit 5"})
	if code(r) != 5 || r.OutputBytes != 1_000_000 || r.DroppedBytes == 0 {
		t.Errorf("the answer is %+v", r)
	}
}

func TestAnExpiredOutput(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{KeepBytes: 100_000}})
	old := run(t, sh, shell.ExecArgs{Command: "yes | head -c 60000"})
	second := me
	second.Turn = "turn_2"
	kept, err := sh.Exec(t.Context(), second, shell.ExecArgs{Command: "yes | head -c 60000"})
	if err != nil || kept.DroppedBytes != 0 {
		t.Fatalf("%+v, %v", kept, err)
	}
	_, err = sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: old.SpoolID})
	wantCode(t, err, arc.Expired)
	third, err := sh.Exec(t.Context(), second, shell.ExecArgs{Command: "yes | head -c 60000"})
	if err != nil || third.OutputBytes != 60000 {
		t.Fatalf("%+v, %v", third, err)
	}
	if got := whole(t, sh, kept.SpoolID, nil); len(got) != 60000 {
		t.Errorf("the output of the running turn has %d bytes left", len(got))
	}
}

var gibibytes = flag.Int64("gib", 1, "how much TestAGigabyteOfOutput writes, in GiB")

// A spool that grows without end fills a disk, one in memory the host's.
func TestAGigabyteOfOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("a gigabyte takes seconds")
	}
	sh := open(t, &shell.Options{Limits: shell.Limits{BlockBudget: time.Hour}})
	before, total := resident(t), *gibibytes<<30
	r := run(t, sh, shell.ExecArgs{Command: fmt.Sprintf("yes '0123456789abcde' | head -c %d", total), TimeoutSec: new(900.0)})
	if r.Status != "completed" || r.OutputBytes != total || r.DroppedBytes != total-(256<<20)-(1<<20) {
		t.Errorf("the answer is %+v", r)
	}
	grown := resident(t) - before
	t.Logf("score: shell %d ≤ 64 MiB more of the host for %d GiB of output", grown>>20, *gibibytes)
	if grown > 64<<20 && !raceEnabled { // the detector's own memory counts as well
		t.Errorf("the host grew by %d MiB", grown>>20)
	}
	line := "0123456789abcde\n"
	pages, bytes := 0, int64(0)
	for offset := int64(0); ; pages++ {
		p, err := sh.Output(t.Context(), me.Seat, shell.OutputArgs{SpoolID: r.SpoolID, Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		if !p.Gap {
			bytes += p.Bytes
			if int64(len(p.Output)) != p.Bytes || p.Output != strings.Repeat(line, len(p.Output)/len(line)) {
				t.Fatalf("the page at %d is not what was said", offset)
			}
		}
		if offset += p.Bytes; p.EOF {
			break
		}
	}
	if bytes != 257<<20 {
		t.Errorf("%d bytes can be paged, want 257 MiB", bytes)
	}
	t.Logf("the peak of memory is %d MiB", resident(t)>>20)
}

func TestYesIsBounded(t *testing.T) {
	t.Parallel()
	sh := open(t, &shell.Options{Limits: shell.Limits{SpoolBytes: 1 << 20}})
	r := run(t, sh, shell.ExecArgs{Command: "yes", TimeoutSec: new(1.5)})
	if r.Status != "timed_out" || r.Signal != "SIGTERM" || !strings.HasPrefix(r.Output, "y\ny\n") || !strings.HasSuffix(r.Output, "y\n") {
		t.Errorf("the answer is %+v", r)
	}
}

// resident is the memory of this process, at its highest.
func resident(t *testing.T) int64 {
	t.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if v, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(v)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
