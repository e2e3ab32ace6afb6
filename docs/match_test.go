package docs

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, query string
		want              string // what is found, each in brackets
	}{
		{"any case", "The Law and the LAW", "law", "The [Law] and the [LAW]"},
		{"a text that is not there", "the law", "lawn", "the law"},
		{"over the end of a line", "intellectual\nproperty  law", "intellectual property law", "[intellectual\nproperty  law]"},
		{"white space around a query counts for nothing", "a law.", "  law ", "a [law]."},
		{"a word that a hyphen parts at the end of a line", "an inter-\nnational treaty", "international", "an [inter-\nnational] treaty"},
		{"a real hyphen at the end of a line", "a well-\nknown case", "well-known", "a [well-\nknown] case"},
		{"the same without it", "a well-\nknown case", "wellknown", "a [well-\nknown] case"},
		{"both kinds in one query", "well-\nknown inter-\nnational law", "well-known international law", "[well-\nknown inter-\nnational law]"},
		{"several hyphens", "just-in-\ntime", "just-in-time", "[just-in-\ntime]"},
		{"a hyphen that stands for a word", "pre-\nand postwar", "pre- and postwar", "[pre-\nand postwar]"},
		{"a hyphen inside a line is one", "a re-sign of it, resign", "resign", "a re-sign of it, [resign]"},
		{"and is not left out of a query", "resign, re-sign", "re-sign", "resign, [re-sign]"},
		{"a hyphen and a blank line", "inter-\n\nnational", "international", "[inter-\n\nnational]"},
		{"a dash between words is no hyphen", "one -\ntwo", "one - two", "[one -\ntwo]"},
		{"a soft hyphen inside a word", "inter\u00adnational", "international", "[inter\u00adnational]"},
		{"a soft hyphen at the end of a line", "inter\u00ad\nnational", "international", "[inter\u00ad\nnational]"},
		{"ligatures", "ﬁnd the eﬃcient oﬀer", "find the efficient offer", "[ﬁnd the eﬃcient oﬀer]"},
		{"half of a ligature is found as the whole of it", "eﬃcient", "ef", "[eﬃ]cient"},
		{"wide forms", "ＡＢＣ１２", "abc12", "[ＡＢＣ１２]"},
		{"composed and decomposed letters", "cafe\u0301 and café", "CAFÉ", "[cafe\u0301] and [café]"},
		{"sharp s", "Straße STRASSE", "strasse", "[Straße] [STRASSE]"},
		{"final sigma", "Οδυσσεύς ΟΔΥΣΣΕΎΣ", "οδυσσεύσ", "[Οδυσσεύς] [ΟΔΥΣΣΕΎΣ]"},
		{"Arabic presentation forms", "ﻣﺮﺣﺒﺎ", "مرحبا", "[ﻣﺮﺣﺒﺎ]"},
		{"marks of direction", "ab\u202bc\u200ed\u200b", "abcd", "[ab\u202bc\u200ed]\u200b"},
		{"no space at the end of a Chinese line", "人民\n共和国", "人民共和国", "[人民\n共和国]"},
		{"but there may be one", "人民\n共和国", "人民 共和国", "[人民\n共和国]"},
		{"a blank between Chinese characters may be there", "人 民 共和国", "人民共和国", "[人 民 共和国]"},
		{"or be there in the query alone", "人民共和国", "人民 共 和国", "[人民共和国]"},
		{"or in both, elsewhere", "かな 文字", "か な文 字", "[かな 文字]"},
		{"also beside their punctuation and long vowels", "（ 一 九 ） デ ー タ", "（一九）データ", "[（ 一 九 ） デ ー タ]"},
		{"a blank between wide letters is one", "ｔｈｅ ｒａｐｉｓｔ", "therapist", "ｔｈｅ ｒａｐｉｓｔ"},
		{"several, and wide ones", "人　 民", "人民", "[人　 民]"},
		{"a blank between Korean words is one", "한국 사람", "한국사람", "한국 사람"},
		{"and so is one beside a letter", "PDF 文件", "pdf文件", "PDF 文件"},
		{"typesetters' quotes and dashes", "don’t say “yes” – no", "don't say \"yes\" - no", "[don’t say “yes” – no]"},
		{"a query of hyphens", "a -- b --- c", "--", "a [--] b [--]- c"},
		{"a query that begins with a hyphen", "an option -x and x", "-x", "an option [-x] and x"},
		{"a query that ends with one", "pre- and post-", "post-", "pre- and [post-]"},
		{"matches do not overlap", "aaaaa", "aa", "[aa][aa]a"},
		{"one character is not two matches", "aﬀ and ﷺ", "f", "a[ﬀ] and ﷺ"},
		{"what begins in a ligature may end behind it", "aﬀi", "fi", "a[ﬀi]"},
		{"a character that stands for many, as it is", "of ﷺ ﷺ", "ﷺ", "of [ﷺ] [ﷺ]"},
		{"a character that nobody knows may be a space", "the\ufffdold\ufffdhouse \ufffd\ufffd", "the old house", "[the\ufffdold\ufffdhouse] \ufffd\ufffd"},
		{"but it ends no query", "an old\ufffd", "old\ufffd", "an [old]\ufffd"},
		{"a no-break space", "a\u00a0b", "a b", "[a\u00a0b]"},
		{"letters alone are not words together", "the rapist", "therapist", "the rapist"},
		{"the beginning and the end", "law", "law", "[law]"},
		{"after what was no match", "aab ab", "ab", "a[ab] [ab]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder()
			n := newNeedle(f, c.query)
			all, count := n.findAll(f, c.text, 100)
			if count != len(all) {
				t.Errorf("%d are counted and %d returned", count, len(all))
			}
			if got := bracketed(c.text, all); got != c.want {
				t.Errorf("%q finds %q, want %q", c.query, got, c.want)
			}
			if len(all) > 0 && !strings.Contains(bareOf(f, c.text), n.bare) {
				t.Errorf("the first look at %q misses %q", bareOf(f, c.text), n.bare)
			}
		})
	}
}

func TestAHyphenThatWasJoinedIsTold(t *testing.T) {
	t.Parallel()
	f := newFolder()
	text := "inter-\nnational inter-national"
	for query, want := range map[string]bool{"international": true, "inter-national": false} {
		all, _ := newNeedle(f, query).findAll(f, text, 9)
		if len(all) == 0 || all[0].joined != want {
			t.Errorf("%q finds %+v", query, all)
		}
	}
}

// bareOf is the bare form of s, however long.
func bareOf(f *folder, s string) string {
	bare, _ := f.bare(s, math.MaxInt)
	return bare
}

func TestTheBareFormIsBounded(t *testing.T) {
	t.Parallel()
	f := newFolder()
	if bare, ok := f.bare("a-b c", 3); bare != "abc" || !ok {
		t.Errorf("it is %q, %v", bare, ok)
	}
	if bare, ok := f.bare("ﷺ", 6); bare != "" || ok {
		t.Errorf("it is %q, %v", bare, ok)
	}
}

// Nothing is lost or found twice where one window ends and the next begins.
func TestAMatchIsFoundWhereverWindowsEnd(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "b", "-", " ", "-\n", "\n", "\u00ad\n", "ﬀ", "f", "ﷺ", "人", "e\u0301", "--"}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.SampledFrom(pieces), 20, 200).Draw(t, "text")
		text := strings.Join(all, "")
		from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
		query := strings.Join(all[from:min(len(all), from+rapid.IntRange(1, 12).Draw(t, "pieces"))], "")
		f := newFolder()
		n := newNeedle(f, query)
		if len(n.runes) == 0 {
			return
		}
		whole, count := n.findIn(f, text, 20, 1<<20)
		parts, again := n.findIn(f, text, 20, 0)
		if count != again || !slices.Equal(whole, parts) {
			t.Fatalf("%q in %q: %d times at %v, in windows %d times at %v", query, text, count, whole, again, parts)
		}
		last := 0
		for _, m := range whole {
			if m.start < last {
				t.Fatalf("%q in %q: matches overlap: %v", query, text, whole)
			}
			last = m.end
		}
	})
}

// A page of characters that stand for eighteen letters each took gigabytes.
func TestAPageOfCharactersThatStandForManyTakesLittleMemory(t *testing.T) {
	const chars = 300_000
	text := strings.Repeat("ﷺ", chars)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := newFolder()
	if bare, ok := f.bare(text, maxBare*len(text)); bare != "" || ok {
		t.Errorf("a bare form of %d bytes is kept", len(bare))
	}
	all, count := newNeedle(f, "محمد").findAll(f, text, 50)
	runtime.ReadMemStats(&after)
	if count != 0 || len(all) != 0 {
		t.Errorf("%d matches", count)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d MiB were allocated for %d KiB of text", used>>20, len(text)>>10)
	}
}

func bracketed(text string, all []found) string {
	runes := []rune(text)
	var b strings.Builder
	at := 0
	for _, f := range all {
		b.WriteString(string(runes[at:f.start]) + "[" + string(runes[f.start:f.end]) + "]")
		at = f.end
	}
	return b.String() + string(runes[at:])
}

func FuzzFold(f *testing.F) {
	for _, s := range [][2]string{
		{"inter-\nnational", "international"}, {"eﬃcient\u00ad\n- -", "- -"}, {"人民\n共和国 a", "国 a"}, {"İ ß ǰ \u0301\u0301", "i"}, {"a\u202b--\n-b", "-b"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		text, _ = clean(text)
		query, _ = clean(query)
		fold := newFolder()
		chars, end := int32(utf8.RuneCountInString(text)), int32(0)
		for _, tok := range fold.tokens(text) {
			if tok.start < 0 || tok.end <= tok.start || tok.end > chars {
				t.Fatalf("a token of %q is at %d to %d of %d", text, tok.start, tok.end, chars)
			}
			if tok.start < end-40 { // characters of one segment share its place
				t.Fatalf("tokens of %q go back", text)
			}
			end = max(end, tok.start)
		}
		n := newNeedle(fold, query)
		if len(n.runes) == 0 {
			return
		}
		all, count := n.findAll(fold, text, 50)
		last := 0
		for _, m := range all {
			if m.start < 0 || m.end <= m.start || m.end > int(chars) || m.start < last && last-m.start > 40 {
				t.Fatalf("%q is found in %q at %+v of %d", query, text, m, chars)
			}
			last = m.end
		}
		if count > 0 && !strings.Contains(bareOf(fold, text), n.bare) {
			t.Fatalf("the first look at %q misses %q", text, query)
		}
		// A text is found in itself, whatever stands around it.
		words := strings.Join(strings.Fields(text), " ")
		if self := newNeedle(fold, words); len(self.runes) > 0 {
			if _, count := self.findAll(fold, words, 1); count == 0 {
				t.Fatalf("%q is not found in itself", words)
			}
		}
	})
}
