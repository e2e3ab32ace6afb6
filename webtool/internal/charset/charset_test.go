package charset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// encoded is s in the named encoding.
func encoded(t *testing.T, name, s string) string {
	t.Helper()
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
	chinese  = "孫子曰：兵者，國之大事，死生之地，存亡之道，不可不察也。"
	simple   = "孙子曰：兵者，国之大事，死生之地，存亡之道，不可不察也。"
	korean   = "새침하게 흐린 품이 눈이 올 듯하더니 눈은 아니 오고"
	russian  = "Все счастливые семьи похожи друг на друга"
	french   = "Il y avait en Westphalie un jeune garçon à qui la nature avait donné les mœurs les plus douces"
	polish   = "Unijne fundusze coraz bliżej. Sejm zagłosował"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	late := "<html><head>" + strings.Repeat("<meta name=x content=y>\n", 4000) // past 90 KiB
	for _, c := range []struct {
		name, header, body string
		want, charset      string
		guessed, errs      bool
	}{
		{"a byte order mark beats the header", "text/html; charset=iso-8859-1", "\xef\xbb\xbfé", "é", "utf-8", false, false},
		{"UTF-16 by its mark", "text/html", "\xff\xfeh\x00\xe9\x00", "hé", "utf-16le", false, false},
		{"UTF-16 the other way round", "text/html", "\xfe\xff\x00h\x00\xe9", "hé", "utf-16be", false, false},
		{"UTF-16 without a mark", "text/html", encoded(t, "utf-16le", "<html><body>plain text</body>"), "<html><body>plain text</body>", "utf-16le", true, false},
		{"the header beats the meta", "text/html; charset=windows-1251", "<meta charset=utf-8>" + encoded(t, "windows-1251", russian), "<meta charset=utf-8>" + russian, "windows-1251", false, false},
		{"a header in capitals and quotes", `text/html; Charset="Shift_JIS"`, encoded(t, "shift_jis", japanese), japanese, "shift_jis", false, false},
		{"a header that is broken elsewhere", "text/html; foo; charset=gbk", encoded(t, "gbk", simple), simple, "gbk", false, false},
		{"a header that names no charset", "text/html; charset=none", "é", "é", "utf-8", true, false},
		{"the XML declaration", "", `<?xml version="1.0" encoding="windows-1250"?>` + encoded(t, "windows-1250", polish), `<?xml version="1.0" encoding="windows-1250"?>` + polish, "windows-1250", false, false},
		{"a meta", "text/html", "<meta charset=euc-kr>" + encoded(t, "euc-kr", korean), "<meta charset=euc-kr>" + korean, "euc-kr", false, false},
		{"an old meta", "text/html", `<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=Big5">` + encoded(t, "big5", chinese),
			`<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=Big5">` + chinese, "big5", false, false},
		{"a meta past the first 90 KiB", "text/html", late + "<meta charset=windows-1251>" + encoded(t, "windows-1251", russian), late + "<meta charset=windows-1251>" + russian, "windows-1251", false, false},
		{"a meta in a comment declares nothing", "text/html", "<!-- <meta charset=gbk> -->é", "<!-- <meta charset=gbk> -->é", "utf-8", true, false},
		{"a meta in a script declares nothing", "text/html", "<script>'<meta charset=gbk>'</script>é", "<script>'<meta charset=gbk>'</script>é", "utf-8", true, false},
		{"a description that mentions a charset declares nothing", "text/html", `<meta name=description content="charset=gbk">é`, `<meta name=description content="charset=gbk">é`, "utf-8", true, false},
		{"a header that says UTF-16 of bytes without a NUL", "text/html; charset=utf-16", "<p>plain", "<p>plain", "utf-8", true, false},
		{"UTF-16 without a mark, of a script that is not Latin", "text/html", encoded(t, "utf-16be", "<html><body>"+korean+"</body></html>"), "<html><body>" + korean + "</body></html>", "utf-16be", true, false},
		{"a meta that says UTF-16 was read as ASCII", "text/html", "<meta charset=utf-16>é", "<meta charset=utf-16>é", "utf-8", false, false},
		{"UTF-8 without a declaration is not read as Latin-1", "text/html", french, french, "utf-8", true, false},
		{"ASCII without a declaration is no guess", "text/html", "plain", "plain", "utf-8", false, false},
		{"Latin-1 without a declaration", "text/html", encoded(t, "windows-1252", french), french, "windows-1252", true, false},
		{"a page that claims Shift_JIS and is UTF-8", "text/html", "<meta charset=Shift_JIS>" + japanese, "<meta charset=Shift_JIS>" + japanese, "utf-8", true, false},
		{"a page that claims EUC-JP and is UTF-8", "text/html; charset=euc-jp", japanese, japanese, "utf-8", true, false},
		{"a page that claims UTF-8 and is Latin-1", "text/html; charset=utf-8", encoded(t, "windows-1252", french), french, "windows-1252", true, false},
		{"a broken byte in UTF-8 costs that byte", "text/html; charset=utf-8", japanese + "\xff.", japanese + "\uFFFD.", "utf-8", false, true},
		{"a cut at the end is no error", "text/html; charset=utf-8", japanese + "\xe3\x81", japanese, "utf-8", false, false},
		{"a cut at the end of Shift_JIS is no error", "text/html; charset=shift_jis", encoded(t, "shift_jis", japanese) + "\x82", japanese + "\uFFFD", "shift_jis", false, false},
		{"Japanese by escape sequences", "text/html", encoded(t, "iso-2022-jp", japanese), japanese, "iso-2022-jp", true, false},
		{"an encoding that has no decoder", "text/html; charset=hz-gb-2312", "é", "é", "utf-8", true, false},
		{"an empty body", "", "", "", "utf-8", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Decode([]byte(c.body), c.header, true)
			if string(got.Bytes) != c.want {
				t.Errorf("text = %.120q, want %.120q", got.Bytes, c.want)
			}
			if got.Name != c.charset || got.Guessed != c.guessed || got.Errors != c.errs {
				t.Errorf("got %s guessed=%t errors=%t, want %s %t %t", got.Name, got.Guessed, got.Errors, c.charset, c.guessed, c.errs)
			}
		})
	}
	t.Run("a declaration quoted in a text file declares nothing", func(t *testing.T) {
		t.Parallel()
		if got := Decode([]byte("<meta charset=gbk>é"), "text/plain", false); got.Name != "utf-8" || string(got.Bytes) != "<meta charset=gbk>é" {
			t.Errorf("got %s %q", got.Name, got.Bytes)
		}
	})
}

// TestMarkupMadeToCost reads what has no end to look for; the guard is hundreds of
// times what that takes.
func TestMarkupMadeToCost(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"<!--", "<script ", "<style ", "<meta ", "<meta charset=none "} {
		t.Run(piece+"again and again", func(t *testing.T) {
			t.Parallel()
			body := []byte(strings.Repeat(piece, 1<<20/len(piece)) + "é")
			done := make(chan Text, 1)
			go func() { done <- Decode(body, "text/html", true) }()
			select {
			case got := <-done:
				if got.Name != "utf-8" || !got.Guessed {
					t.Errorf("got %s guessed=%t", got.Name, got.Guessed)
				}
			case <-time.After(30 * time.Second):
				t.Error("it takes more than 30 s")
			}
		})
	}
}

// TestRealPages decodes the shared pages and texts in many encodings.
func TestRealPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", "web")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the shared pages are not here")
	}
	for _, c := range []struct{ file, header, charset, words string }{
		{"charset/HTTP-charset.html", "text/html; charset=iso-8859-15", "iso-8859-15", "<html"},
		{"charset/HTTP-vs-UTF-8-BOM.html", "text/html; charset=iso-8859-15", "utf-8", "<html"},
		{"charset/HTTP-vs-meta-content.html", "text/html; charset=iso-8859-15", "iso-8859-15", "<html"},
		{"charset/No-encoding-declaration.html", "text/html", "utf-8", "<html"},
		{"charset/UTF-16LE-BOM.html", "text/html", "utf-16le", "<html"},
		{"charset/UTF-8-BOM-vs-meta-charset.html", "text/html", "utf-8", "<html"},
		{"charset/meta-charset-attribute.html", "text/html", "iso-8859-15", "<html"},
		{"charset/meta-content-attribute.html", "text/html", "iso-8859-15", "<html"},
		{"charset/chardet_8859_1_de.html", "text/html", "windows-1252", "für"},
		{"charset/chardet_8859_1_en.html", "text/html", "windows-1252", "the"},
		{"charset/chardet_8859_1_fr.html", "text/html", "windows-1252", "à"},
		{"charset/chardet_8859_1_pt.html", "text/html", "windows-1252", "ção"},
		{"charset/chardet_euc_jp.html", "text/html", "euc-jp", "です"},
		{"charset/chardet_euc_kr.html", "text/html", "euc-kr", "의"},
		{"charset/chardet_shift_jis.html", "text/html", "shift_jis", "の"},
		{"charset/chardet_utf8.html", "text/html", "utf-8", "<html"},
		{"trafilatura/landwirt.com.sensortechnik.html", "text/html", "windows-1252", "für"},
		{"trafilatura/der-erfolg-gibt-recht.de.rinderleber.html", "text/html", "utf-8", "ü"},
		{"trafilatura/maescot.de.schafskunde.html", "text/html", "utf-8", "ü"},
		{"trafilatura/nmb-media.de.ebay.html", "text/html", "windows-1252", "für"},
		{"trafilatura/automobilwoche.de-VW-Betriebsversammlung.html", "text/html", "windows-1252", "für"},
		{"trafilatura/rp.pl-windows-1250.html", "text/html", "windows-1250", "się"},
		{"postlight/jvndb.jvn.jp.html", "text/html", "utf-8", "の"},
		{"readability/qq.html", "text/html", "utf-8", "的"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(filepath.Join(dir, c.file))
			if err != nil {
				t.Skip(err)
			}
			got := Decode(body, c.header, true)
			if got.Name != c.charset || !bytes.Contains(bytes.ToLower(got.Bytes), []byte(c.words)) {
				t.Errorf("read as %s (guessed %t, errors %t), want %s with %q in it", got.Name, got.Guessed, got.Errors, c.charset, c.words)
			}
		})
	}
	for _, c := range []struct{ file, charset, twin string }{
		{"rashomon-shift-jis.txt", "shift_jis", "rashomon-utf-8.txt"}, {"rashomon-euc-jp.txt", "euc-jp", "rashomon-utf-8.txt"},
		{"unsu-joh-eun-nal-euc-kr.txt", "euc-kr", "unsu-joh-eun-nal-utf-8.txt"}, {"sunzi-bingfa-simplified-gbk.txt", "gbk", "sunzi-bingfa-simplified-utf-8.txt"},
		{"candide-windows-1252.txt", "windows-1252", "candide-utf-8.txt"}, {"candide-gb18030.txt", "gb18030", "candide-utf-8.txt"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(filepath.Join(dir, "charset", c.file))
			if err != nil {
				t.Skip(err)
			}
			got := Decode(body, "text/plain; charset="+c.charset, false)
			if got.Name != c.charset || got.Errors || !utf8.Valid(got.Bytes) {
				t.Errorf("read as %s, errors %t", got.Name, got.Errors)
			}
			if twin, err := os.ReadFile(filepath.Join(dir, "charset", c.twin)); err == nil && !bytes.Equal(got.Bytes, bytes.TrimPrefix(twin, []byte("\xef\xbb\xbf"))) {
				t.Error("it differs from its twin in UTF-8")
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<meta charset=gbk>\xff\xfe"), "text/html; charset=big5")
	f.Add([]byte("<?xml encoding='x'?><!--<meta"), "")
	f.Add([]byte("\x1b$B\x00"), "text/html; charset=iso-2022-jp")
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		before := bytes.Clone(body)
		got := Decode(body, header, true)
		if !utf8.Valid(got.Bytes) {
			t.Errorf("%q as %s is no UTF-8", body, got.Name)
		}
		if len(got.Bytes) > 3*len(body)+3 {
			t.Errorf("%d bytes became %d", len(body), len(got.Bytes))
		}
		if !bytes.Equal(before, body) {
			t.Error("the body was changed")
		}
	})
}
