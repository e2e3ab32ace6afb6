package docstest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/arcseat/arc/docs"
	"github.com/arcseat/arc/docs/docstest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, e docs.Engine, content []byte, password string) (docs.Document, error) {
	t.Helper()
	sum := sha256.Sum256(content)
	return e.Open(t.Context(), docs.Source{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, docs.OpenOptions{Password: password})
}

func TestAFakeDoesAsItIsTold(t *testing.T) {
	t.Parallel()
	fake := docstest.NewFake()
	t.Run("pages, and of each what is asked for", func(t *testing.T) {
		d, err := open(t, fake, fake.File(docstest.Script{Pages: []docs.Page{{Text: "one", Label: "i"}, {Text: "two", Ink: 0.1, HasInk: true}}}), "")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		got, err := d.Pages(t.Context(), 1, 2, docs.WantText)
		if want := "[{Number:1 Text:one Label: Ink:0 HasInk:false Warnings:[] Err:<nil>} {Number:2 Text:two Label: Ink:0 HasInk:false Warnings:[] Err:<nil>}]"; err != nil || fmt.Sprintf("%+v", got) != want {
			t.Errorf("pages are %+v, %v", got, err)
		}
		if got, err := d.Pages(t.Context(), 2, 2, docs.WantInk); err != nil || got[0].Text != "" || !got[0].HasInk {
			t.Errorf("ink is %+v, %v", got, err)
		}
		if info, err := d.Info(t.Context()); err != nil || info.Pages != 2 || !info.LastLoads {
			t.Errorf("info is %+v, %v", info, err)
		}
	})
	t.Run("a password", func(t *testing.T) {
		content := fake.File(docstest.Script{Password: "x"})
		if _, err := open(t, fake, content, ""); !errors.Is(err, docs.ErrEncrypted) {
			t.Errorf("without it: %v", err)
		}
		d, err := open(t, fake, content, "x")
		if err != nil {
			t.Fatalf("with it: %v", err)
		}
		d.Close()
	})
	t.Run("a crash in the middle, with the pages before it", func(t *testing.T) {
		d, err := open(t, fake, fake.File(docstest.Script{Pages: docstest.Text("one", "two", "three"), Read: docstest.CrashAt(3)}), "")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if got, err := d.Pages(t.Context(), 1, 3, docs.WantText); !errors.Is(err, docs.ErrCrashed) || len(got) != 2 {
			t.Errorf("%d pages, %v", len(got), err)
		}
	})
	t.Run("a hang ends with the call", func(t *testing.T) {
		d, err := open(t, fake, fake.File(docstest.Script{Pages: docstest.Text("one"), Read: docstest.Hang}), "")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.Pages(ctx, 1, 1, docs.WantText); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a file that it did not make is damaged", func(t *testing.T) {
		if _, err := open(t, fake, []byte("%PDF-1.7"), ""); !errors.Is(err, docs.ErrDamaged) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a closed document is of no use", func(t *testing.T) {
		d, err := open(t, fake, fake.File(docstest.Script{Pages: docstest.Text("one")}), "")
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
		if _, err := d.Pages(t.Context(), 1, 1, docs.WantText); err == nil {
			t.Error("it has pages")
		}
	})
}

var objectAt = regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`)

func TestFilesAreWellFormed(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]docstest.File{
		"no page":    {},
		"text":       {Pages: []docstest.Page{{Lines: []string{"one", "naïve 漢字"}, Label: "i"}, {Ink: true}, {Lines: []string{"two words"}, Typeset: true}}, Title: "T"},
		"a password": {Pages: []docstest.Page{{Lines: []string{"secret"}}}, Password: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			b := f.Bytes()
			if !bytes.Equal(b, f.Bytes()) {
				t.Error("the same file is written in two ways")
			}
			for i, m := range objectAt.FindAllSubmatch(b, -1) {
				at, err := strconv.Atoi(string(m[1]))
				if err != nil || !bytes.HasPrefix(b[at:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
					t.Errorf("object %d is not at %s", i+1, m[1])
				}
			}
			if !bytes.HasPrefix(b, []byte("%PDF-")) || !bytes.HasSuffix(b, []byte("%%EOF\n")) || bytes.Contains(b, []byte("secret")) {
				t.Errorf("the file is %q", b)
			}
		})
	}
	t.Run("a count that is a lie stands there", func(t *testing.T) {
		if b := (docstest.File{Count: "-5"}).Bytes(); !bytes.Contains(b, []byte("/Count -5/")) {
			t.Errorf("the file is %q", b)
		}
	})
}

func ExampleFile() {
	f := docstest.File{Title: "A requirement", Pages: []docstest.Page{{Lines: []string{"The port is 8080."}}}}
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "requirement.pdf"), f.Bytes(), 0o600); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.8s\n", f.Bytes())
	// Output: %PDF-1.4
}

func ExampleFake() {
	fake := docstest.NewFake()
	pdf := fake.File(docstest.Script{Pages: docstest.Text("one", "two", "three"), Read: docstest.CrashAt(2)})
	library := docs.New(nil, fake, nil)
	defer library.Close()
	text, err := library.Text(context.Background(), pdf)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// [page 1]
	// one
	// [page 2: could not be read]
	// [page 3]
	// three
	// <nil>
}
