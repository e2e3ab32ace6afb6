package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arcseat/arc"
)

func (p *project) read(a ReadArgs) *ReadResult {
	p.t.Helper()
	r, err := p.Read(ctx, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// detail gives an error's fields as a model sees them.
func detail(t testing.TB, e *arc.Error) map[string]any {
	t.Helper()
	b, err := json.Marshal(e.Detail)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRead(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 4096) // 64 KiB
	for _, c := range []struct {
		name, content string
		args          ReadArgs
		header, text  string
	}{
		{"a small file is there whole", "a\nb\n", ReadArgs{},
			`"size":4,"start_line":1,"end_line":2,"total_lines":2,"truncated":false,"eol":"lf"`, "a\nb\n"},
		{"an empty file has no lines", "", ReadArgs{},
			`"size":0,"start_line":1,"end_line":0,"total_lines":0,"truncated":false,"eol":"none"`, ""},
		{"a last line without an end is told", "a\nb", ReadArgs{},
			`"size":3,"start_line":1,"end_line":2,"total_lines":2,"truncated":false,"eol":"lf","final_newline":false`, "a\nb"},
		{"CRLF is shown as LF", "a\r\nb\r\n", ReadArgs{},
			`"size":6,"start_line":1,"end_line":2,"total_lines":2,"truncated":false,"eol":"crlf"`, "a\nb\n"},
		{"mixed line ends are told, a CR alone stays", "a\r\nb\nc\rd\n", ReadArgs{},
			`"size":9,"start_line":1,"end_line":3,"total_lines":3,"truncated":false,"eol":"mixed"`, "a\nb\nc\rd\n"},
		{"a byte order mark is told and not shown", "\ufeffa\n", ReadArgs{},
			`"size":5,"start_line":1,"end_line":1,"total_lines":1,"truncated":false,"eol":"lf","bom":true`, "a\n"},
		{"a byte order mark alone is an empty file", "\ufeff", ReadArgs{},
			`"size":3,"start_line":1,"end_line":0,"total_lines":0,"truncated":false,"eol":"none","bom":true`, ""},
		{"reading starts at a line", "a\nb\nc\n", ReadArgs{StartLine: 2},
			`"size":6,"start_line":2,"end_line":3,"total_lines":3,"truncated":false,"eol":"lf"`, "b\nc\n"},
		{"one line behind the last is an empty slice", "a\nb\n", ReadArgs{StartLine: 3},
			`"size":4,"start_line":3,"end_line":2,"total_lines":2,"truncated":false,"eol":"lf"`, ""},
		{"so it is behind a line without an end", "a\nb", ReadArgs{StartLine: 3},
			`"size":3,"start_line":3,"end_line":2,"total_lines":2,"truncated":false,"eol":"lf","final_newline":false`, ""},
		{"reading starts inside a line, by characters", "a\nxéz\n", ReadArgs{StartLine: 2, StartCharacter: 2},
			`"size":7,"start_line":2,"end_line":2,"total_lines":2,"truncated":false,"eol":"lf"`, "z\n"},
		{"behind a line's last character is its end", "ab\r\nc", ReadArgs{StartCharacter: 2},
			`"size":5,"start_line":1,"end_line":2,"total_lines":2,"truncated":false,"eol":"crlf","final_newline":false`, "\nc"},
		{"64 KiB are one slice", long, ReadArgs{StartLine: 2097},
			`"size":65536,"start_line":2097,"end_line":4096,"total_lines":4096,"truncated":false,"eol":"lf"`, strings.Repeat("0123456789abcde\n", 2000)},
		{"a slice ends after 2,000 lines", strings.Repeat("x\n", 2001), ReadArgs{},
			`"size":4002,"start_line":1,"end_line":2000,"total_lines":2001,"truncated":true,"next_start_line":2001,"eol":"lf"`, strings.Repeat("x\n", 2000)},
		{"a line that does not fit whole waits for the next slice", strings.Repeat("x", 65530) + "\n" + "1234567890\n", ReadArgs{},
			`"size":65542,"start_line":1,"end_line":1,"total_lines":2,"truncated":true,"next_start_line":2,"eol":"lf"`, strings.Repeat("x", 65530) + "\n"},
		{"a line that is too long alone is cut behind a character", "x" + strings.Repeat("é", 40000), ReadArgs{},
			`"size":80001,"start_line":1,"end_line":1,"total_lines":1,"truncated":true,"next_start_line":1,"next_start_character":32768,"eol":"none","final_newline":false`, "x" + strings.Repeat("é", 32767)},
		{"and goes on there", "x" + strings.Repeat("é", 40000), ReadArgs{StartLine: 1, StartCharacter: 32768},
			`"size":80001,"start_line":1,"end_line":1,"total_lines":1,"truncated":false,"eol":"none","final_newline":false`, strings.Repeat("é", 7233)},
		{"bytes that are not UTF-8 on line 999 are no matter on line 1", strings.Repeat("a\n", 2000) + strings.Repeat("b\n", 500) + "\xe9t\xe9\n", ReadArgs{},
			`"size":5004,"start_line":1,"end_line":2000,"total_lines":2501,"truncated":true,"next_start_line":2001,"eol":"lf","notes":["not_utf8_elsewhere"]`, strings.Repeat("a\n", 2000)},
		{"a NUL behind the first 8 KiB is text", strings.Repeat("a\n", 5000) + "\x00\n", ReadArgs{StartLine: 5001},
			`"size":10002,"start_line":5001,"end_line":5001,"total_lines":5001,"truncated":false,"eol":"lf"`, "\x00\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"f.txt": c.content})
			c.args.Path = "f.txt"
			r := p.read(c.args)
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"path":"f.txt","sha256":"` + p.hash("f.txt") + `",` + c.header + `}`
			if string(b) != want {
				t.Errorf("header is\n%s, want\n%s", b, want)
			}
			if r.Text != c.text {
				t.Errorf("text is %s, want %s", clip(r.Text, 200), clip(c.text, 200))
			}
			if r.Truncated != (r.Next != nil) {
				t.Errorf("truncated is %v and the next call %v", r.Truncated, r.Next)
			}
		})
	}
}

func TestAReadOfAPDFFileSaysWhatReadsIt(t *testing.T) {
	for _, c := range []struct{ name, content, tool, want string }{
		{"a tool that the host names is the next call", "%PDF-1.7\n\x00", "reader", `reader {"path":"f.pdf"}`},
		{"also where a byte gives it away and no NUL", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "reader", `reader {"path":"f.pdf"}`},
		{"without one there is none", "%PDF-1.7\n\x00", "", ""},
		{"another binary file has none", "\x7fELF\x00", "reader", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"f.pdf": c.content})
			p.open(&Options{PDFTool: c.tool})
			_, err := p.Read(ctx, ReadArgs{Path: "f.pdf"})
			e := wantCode(t, err, arc.BinaryFile)
			got := ""
			if e.Next != nil {
				args, err := json.Marshal(e.Next.Arguments)
				if err != nil {
					t.Fatal(err)
				}
				got = e.Next.Tool + " " + string(args)
			}
			if got != c.want || strings.Contains(e.Message, "PDF") != (c.want != "") {
				t.Errorf("the next call is %q after %q, want %q", got, e.Message, c.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	latin := strings.Repeat("a\n", 998) + "caf\xe9\n"
	for _, c := range []struct {
		name, content string
		args          ReadArgs
		code          arc.Code
		detail        map[string]any
	}{
		{"a line behind the end", "a\nb\n", ReadArgs{StartLine: 4}, arc.OutOfRange, map[string]any{"total_lines": 2.0}},
		{"a character behind a line's end", "ab\nc\n", ReadArgs{StartCharacter: 3}, arc.OutOfRange, map[string]any{"total_lines": 2.0}},
		{"the CR of a CRLF as a character", "ab\r\nc\n", ReadArgs{StartCharacter: 3}, arc.OutOfRange, map[string]any{"total_lines": 2.0}},
		{"a character of a line that is not there", "ab\n", ReadArgs{StartLine: 2, StartCharacter: 1}, arc.OutOfRange, map[string]any{"total_lines": 1.0}},
		{"a NUL in the first 8 KiB", "\x7fELF\x00", ReadArgs{}, arc.BinaryFile, map[string]any{"size": 5.0, "sha256": string(hashOf([]byte("\x7fELF\x00")))}},
		{"Latin-1 in the slice", latin, ReadArgs{StartLine: 999}, arc.NotUTF8,
			map[string]any{"offset": 1999.0, "byte": "0xe9", "encoding_guess": "latin1-like", "size": 2001.0, "sha256": string(hashOf([]byte(latin)))}},
		{"UTF-16, little end first", "\xff\xfea\x00", ReadArgs{}, arc.NotUTF8, map[string]any{"offset": 0.0, "byte": "0xff", "encoding_guess": "utf-16le"}},
		{"UTF-16, big end first", "\xfe\xff\x00a", ReadArgs{}, arc.NotUTF8, map[string]any{"offset": 0.0, "byte": "0xfe", "encoding_guess": "utf-16be"}},
		{"a negative line", "a", ReadArgs{StartLine: -1}, arc.InvalidArguments, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"f.txt": c.content})
			c.args.Path = "f.txt"
			_, err := p.Read(ctx, c.args)
			got := detail(t, wantCode(t, err, c.code))
			for k, v := range c.detail {
				if got[k] != v {
					t.Errorf("%s is %v, want %v", k, got[k], v)
				}
			}
		})
	}
	t.Run("a file over the host's limit", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"big": "12345"})
		p.open(&Options{MaxRead: 4})
		_, err := p.Read(ctx, ReadArgs{Path: "big"})
		if d := detail(t, wantCode(t, err, arc.TooLarge)); d["size"] != 5.0 || d["limit"] != 4.0 {
			t.Errorf("detail is %v", d)
		}
	})
	t.Run("a directory, and lists it next", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"d/f": ""})
		_, err := p.Read(ctx, ReadArgs{Path: "d"})
		e := wantCode(t, err, arc.IsDirectory)
		if e.Next == nil || e.Next.Tool != "workspace_list" || e.Next.Arguments.(ListArgs).Path != "d" {
			t.Errorf("next is %+v", e.Next)
		}
	})
	t.Run("what ctx forbids", func(t *testing.T) {
		t.Parallel()
		p := newProject(t, map[string]string{"f": "a"})
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := p.Read(ended, ReadArgs{Path: "f"}); err != context.Canceled {
			t.Errorf("error is %v", err)
		}
	})
}

func TestReadPaths(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"real/f.txt": "text\n", ".git/config": "[core]\n"})
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"in": "real/f.txt", "dir": "real", "absolute": p.path("real/f.txt"), "dangling": "nowhere",
		"out": outside, "up": "../" + filepath.Base(filepath.Dir(outside)) + "/secret", "loop": "loop", "ping": "pong", "pong": "ping",
	} {
		if err := os.Symlink(target, p.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, path string
		code       arc.Code // empty: it is read
		resolved   string
	}{
		{"a plain path", "real/f.txt", "", ""},
		{"a path with dots and doubled slashes", "./real//f.txt", "", ""},
		{"a link inside", "in", "", "real/f.txt"},
		{"through a linked directory", "dir/f.txt", "", "real/f.txt"},
		{"an absolute link to the inside", "absolute", "", "real/f.txt"},
		{".git may be read", ".git/config", "", ""},
		{"a dangling link", "dangling", arc.NotFound, ""},
		{"a link to the outside", "out", arc.PathEscape, ""},
		{"a relative link to the outside", "up", arc.PathEscape, ""},
		{"a link to itself", "loop", arc.PathEscape, ""},
		{"two links to each other", "ping", arc.PathEscape, ""},
		{"two dots", "real/../../secret", arc.InvalidPath, ""},
		{"a trailing slash", "real/f.txt/", arc.InvalidPath, ""},
		{"a trailing slash behind a link", "in/", arc.InvalidPath, ""},
		{"a NUL", "real/f.txt\x00", arc.InvalidPath, ""},
		{"an absolute path", outside, arc.InvalidPath, ""},
		{"below a file", "real/f.txt/x", arc.NotADirectory, ""},
		{"a missing file", "real/g.txt", arc.NotFound, ""},
		{"the project itself", ".", arc.IsDirectory, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := p.Read(ctx, ReadArgs{Path: c.path})
			if c.code != "" {
				wantCode(t, err, c.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.ResolvedPath != c.resolved || r.Text == "" {
				t.Errorf("resolved path is %q, want %q; text %q", r.ResolvedPath, c.resolved, r.Text)
			}
		})
	}
}

func TestReadGuessesWhatAMissingPathMeant(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"typos/start.go": "", "typos/README.md": "", "typos/.env": "", "typos/a.txt": "", "typos/configure": "", "typos/go.mod": "", "typos/sub/x": "",
		"docs/caf\u00e9.md": "", "docs/Read Me\u00a0now.md": "", "docs/it\u2019s.md": "", "Src/Main.go": "",
		"a/deep/handler.go": "", "b/handler.go": "", "c/handler.go": "", "d/handler.go": "", "node_modules/lonely.js": "", ".git/config": "", ".gitignore": "node_modules\n",
	})
	if err := os.Symlink("gone", p.path("dangling")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       []any
		next       string
	}{
		{"decomposed for composed", "docs/cafe\u0301.md", []any{"docs/caf\u00e9.md"}, ""},
		{"an ordinary space for one that does not break", "docs/Read Me now.md", []any{"docs/Read Me\u00a0now.md"}, ""},
		{"a straight quote for a curly one", "docs/it's.md", []any{"docs/it\u2019s.md"}, ""},
		{"another case, directories too", "src/main.go", []any{"Src/Main.go"}, ""},
		{"the same name elsewhere, three of them", "x/handler.go", []any{"a/deep/handler.go", "b/handler.go", "c/handler.go"}, ""},
		{"two letters swapped", "typos/satrt.go", []any{"typos/start.go"}, ""},
		{"a letter too few", "typos/a.tx", []any{"typos/a.txt"}, ""},
		{"a letter too many", "typos/staart.go", []any{"typos/start.go"}, ""},
		{"another letter, in another case", "Typos/Stort.go", []any{"typos/start.go"}, ""},
		{"no extension", "typos/README", []any{"typos/README.md"}, ""},
		{"another extension", "typos/start.ts", []any{"typos/start.go"}, ""},
		{"two slips in a long name", "typos/konfigre", []any{"typos/configure"}, ""},
		{"not two slips in a short name", "typos/b.tx", nil, "typos"},
		{"a directory", "typos/sbu", []any{"typos/sub"}, ""},
		{"not a dot file for another", "typos/.rc", nil, "typos"},
		{"not .git by a slip", "git", nil, "."},
		{"not what is ignored", "lonely.js", nil, "."},
		{"nothing like it, so the directory is next", "docs/none.txt", nil, "docs"},
		{"nothing like it nor its directory", "no/such/thing", nil, "."},
		{"not the link itself that leads nowhere", "dangling", nil, "."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := p.Read(ctx, ReadArgs{Path: c.path})
			e := wantCode(t, err, arc.NotFound)
			d := detail(t, e)
			if got, want := fmt.Sprint(d["suggestions"]), fmt.Sprint(any(c.want)); len(c.want) > 0 && got != want || len(c.want) == 0 && d["suggestions"] != nil {
				t.Errorf("suggestions are %v, want %v", got, want)
			}
			if d["kind"] != "file" || d["path"] != c.path {
				t.Errorf("detail is %v", d)
			}
			if c.next != "" && (e.Next == nil || e.Next.Arguments.(ListArgs).Path != c.next) {
				t.Errorf("next is %+v, want a list of %s", e.Next, c.next)
			}
		})
	}
}

func TestTheExactNameIsOpenedWhateverLooksLikeIt(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"caf\u00e9": "composed", "cafe\u0301": "decomposed"})
	if p.get("caf\u00e9") == p.get("cafe\u0301") {
		t.Skip("this file system takes the two names for one")
	}
	for name, want := range map[string]string{"caf\u00e9": "composed", "cafe\u0301": "decomposed"} {
		if got := p.read(ReadArgs{Path: name}).Text; got != want {
			t.Errorf("%+q holds %q, want %q", name, got, want)
		}
	}
}
