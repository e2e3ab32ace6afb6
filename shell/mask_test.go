package shell

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMask(t *testing.T) {
	t.Parallel()
	const pem = "-----BEGIN KEY-----\nMIIEvQIBADAN\nBg==\n-----END KEY-----\n"
	for _, c := range []struct {
		name, in, want string
		secrets        []string
	}{
		{"nothing is secret", "token", "token", nil},
		{"each byte becomes an asterisk", "key=hunter22!", "key=********!", []string{"hunter22"}},
		{"each time it stands there", "abcdabcd abcd", "******** ****", []string{"abcd"}},
		{"overlapping with itself", "xababax", "x*****x", []string{"abab", "baba"}},
		{"one inside another", "a-token-b", "*********", []string{"token", "a-token-b"}},
		{"a character of several bytes", "=пароль=", "=" + strings.Repeat("*", 12) + "=", []string{"пароль"}},
		{"values that are too short", "a to b", "a to b", []string{"", "a", "to", "b"}},
		{"a beginning of one is none", "hunter2", "hunter2", []string{"hunter22"}},
		{"a key file as it is", pem, "*******************\n************\nBg==\n*****************\n", []string{pem[:len(pem)-1] + "\nmore\n"}},
		{"a key file, indented", "  MIIEvQIBADAN\r\n  -----END KEY-----", "  ************\r\n  *****************", []string{pem}},
		{"of the whole key file its short lines too", pem, "*******************\n************\n****\n*****************\n", []string{pem}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := newMask(c.secrets).text(c.in, false, false); got != c.want {
				t.Errorf("%q became %q, want %q", c.in, got, c.want)
			}
		})
	}
	t.Run("an edge beyond which nothing is known covers pieces", func(t *testing.T) {
		t.Parallel()
		m := newMask([]string{"hunter22"})
		if got := m.text("er22 and hunter2", true, true); got != "**** and *******" {
			t.Errorf("it became %q", got)
		}
		if got := m.text("r22 and hun", true, true); got != "r22 and hun" {
			t.Errorf("pieces that say little became %q", got)
		}
	})
}

// secretWords draws output that is full of secrets and of their pieces.
type secretWords struct {
	secrets []string
	piece   *rapid.Generator[[]byte]
}

func drawSecrets(t *rapid.T) secretWords {
	letter := rapid.SampledFrom([]byte("ab€\n\x80"))
	w := secretWords{}
	for range rapid.IntRange(1, 3).Draw(t, "secrets") {
		w.secrets = append(w.secrets, string(rapid.SliceOfN(letter, 4, 9).Draw(t, "secret")))
	}
	w.piece = rapid.Custom(func(t *rapid.T) []byte {
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			return rapid.SliceOfN(letter, 0, 6).Draw(t, "noise")
		}
		s := rapid.SampledFrom(w.secrets).Draw(t, "of")
		from := rapid.IntRange(0, len(s)).Draw(t, "from")
		return []byte(s[from:rapid.IntRange(from, len(s)).Draw(t, "to")])
	})
	return w
}

// masked is what a reader of the whole output may see, by the rule and not by pages.
func masked(secrets []string, all []byte) []byte {
	var values []string
	for _, s := range secrets {
		values = append(values, s)
		for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }) {
			if line = strings.TrimSpace(line); len(line) >= shortestLine {
				values = append(values, line)
			}
		}
	}
	out := bytes.Clone(all)
	for _, v := range values {
		for i := range all {
			if !bytes.HasPrefix(all[i:], []byte(v)) {
				continue
			}
			for j := range len(v) {
				if out[i+j] != '\n' {
					out[i+j] = '*'
				}
			}
		}
	}
	return out
}

func TestPagesAreMaskedWhateverTheirEdges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		w := drawSecrets(t)
		s := newSpool(dir, 1<<20, 1, always)
		s.secrets = func() []string { return w.secrets }
		defer s.seal()
		var all []byte
		var read strings.Builder
		at := int64(0)
		size := func() int { return rapid.IntRange(1, 12).Draw(t, "size") }
		for range rapid.IntRange(0, 12).Draw(t, "writes") {
			b := w.piece.Draw(t, "bytes")
			s.append(b)
			all = append(all, b...)
			if rapid.Bool().Draw(t, "reads meanwhile") {
				text, to := pages(t, s, at, size)
				read.WriteString(text)
				at = to
			}
		}
		s.seal()
		text, to := pages(t, s, at, size)
		read.WriteString(text)
		if to != int64(len(all)) {
			t.Fatalf("the pages end at %d of %d", to, len(all))
		}
		if want := decode(masked(w.secrets, all)); read.String() != want {
			t.Fatalf("of %q with %q the pages joined are\n%q, want\n%q", all, w.secrets, read.String(), want)
		}
		kept, _, err := s.read(0, len(all))
		if err != nil || !bytes.Equal(kept, all) {
			t.Fatalf("the spool keeps %q of %q, %v", kept, all, err)
		}
	})
}

// Around a gap nobody knows what stood there: pieces of 4 bytes are covered.
func TestPagesAroundAGapShowNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		secret := "s3cr€t-token"
		s := newSpool(dir, rapid.Int64Range(1, 40).Draw(t, "cap"), rapid.IntRange(1, 40).Draw(t, "tail"), always)
		s.secrets = func() []string { return []string{secret} }
		for range rapid.IntRange(1, 9).Draw(t, "times") {
			s.append([]byte(secret + " "))
		}
		if rapid.Bool().Draw(t, "ended") {
			s.seal()
		}
		defer s.seal()
		text, _ := pages(t, s, 0, func() int { return rapid.IntRange(1, 30).Draw(t, "size") })
		p, err := s.preview("sp_x", 0, rapid.IntRange(16, 80).Draw(t, "preview"))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+shortestPiece <= len(secret); i++ {
			for _, shown := range []string{text, p.text} {
				if piece := secret[i : i+shortestPiece]; strings.Contains(shown, piece) {
					t.Fatalf("%q shows %q", shown, piece)
				}
			}
		}
	})
}

func TestPreviewsShowNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		secret := "s3cr€t-token"
		s := newSpool(dir, 1<<20, 1, always)
		s.secrets = func() []string { return []string{secret} }
		defer s.seal()
		filler := rapid.SampledFrom([]string{"", ".", "\n", "\x1b[0m", "\b", "é", "x\b", "\x1b]0;t\x07"})
		from := int64(0)
		for range rapid.IntRange(1, 12).Draw(t, "pieces") {
			if rapid.Bool().Draw(t, "plain") {
				s.append([]byte(secret))
			} else { // as a terminal would show it, it is there
				i := rapid.IntRange(1, 4).Draw(t, "divided at")
				s.append([]byte(secret[:i] + "\x1b[1m" + secret[i:]))
			}
			s.append([]byte(filler.Draw(t, "filler")))
			if rapid.IntRange(0, 3).Draw(t, "end") == 0 {
				s.seal()
			}
			p, err := s.preview("sp_x", from, rapid.IntRange(16, 120).Draw(t, "most"))
			if err != nil {
				t.Fatal(err)
			}
			if p.end < from || p.end > s.size() {
				t.Fatalf("it ends at %d of %d, after %d", p.end, s.size(), from)
			}
			if strings.Contains(p.text, secret) || strings.Contains(p.text, secret[5:]) {
				t.Fatalf("the preview is %q", p.text)
			}
			if rapid.Bool().Draw(t, "a poll follows") {
				from = p.end
			}
		}
	})
}

func TestASecretThatIsDividedByEscapesIsMaskedInAPreview(t *testing.T) {
	t.Parallel()
	s := newSpool(t.TempDir(), 1<<20, 1, always)
	s.secrets = func() []string { return []string{"hunter22"} }
	s.append([]byte("a hun\x1b[1mter\x1b[0m22 b\nc hunter\rd hunx\bter22\n"))
	s.seal()
	p, err := s.preview("sp_x", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a ******** b\nd ********\n"; p.text != want || !p.cleaned {
		t.Errorf("the preview is %q, want %q", p.text, want)
	}
}

func FuzzMaskKeepsLengthsAndLines(f *testing.F) {
	f.Add([]byte("x hunter22 y"), "hunter22", true)
	f.Add([]byte("a\nb\r\n"), "a\nb\r", false)
	f.Fuzz(func(t *testing.T, b []byte, secret string, cut bool) {
		got := bytes.Clone(b)
		newMask([]string{secret}).cover(got, cut, cut)
		if len(got) != len(b) {
			t.Fatalf("%q became %q", b, got)
		}
		for i := range b {
			if got[i] != b[i] && (got[i] != '*' || b[i] == '\n' || b[i] == '\r') {
				t.Fatalf("%q became %q", b, got)
			}
		}
		if len(secret) >= shortestSecret && strings.Trim(secret, "*\r\n") != "" && bytes.Contains(got, []byte(secret)) {
			t.Fatalf("%q still shows %q", got, secret)
		}
	})
}
