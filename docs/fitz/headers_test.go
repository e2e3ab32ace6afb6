//go:build cgo && !nocgo && !extlib

package fitz

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOurHeaderAgreesWithTheLibrarys compiles mupdf.h after the headers that
// go-fitz carries: a function declared differently does not compile, nor does a
// type of another shape.
func TestOurHeaderAgreesWithTheLibrarys(t *testing.T) {
	t.Parallel()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler is in PATH")
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gen2brain/go-fitz").Output()
	if err != nil {
		t.Skipf("go-fitz is not in the module cache: %v", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program := `
#include <mupdf/fitz.h>
#define ARC_MUPDF_HEADERS
#include "mupdf.h"
#include <string.h>
#define IS(x) _Static_assert(x, #x)
IS(sizeof(fz_rect) == 16 && offsetof(fz_rect, y1) == 12);
IS(sizeof(fz_irect) == 16 && offsetof(fz_irect, y1) == 12);
IS(sizeof(fz_matrix) == 24 && offsetof(fz_matrix, f) == 20);
IS(offsetof(fz_alloc_context, malloc) == sizeof(void *) && sizeof(fz_alloc_context) == 4 * sizeof(void *));
IS(offsetof(fz_alloc_context, realloc) == 2 * sizeof(void *) && offsetof(fz_alloc_context, free) == 3 * sizeof(void *));
IS(offsetof(fz_cookie, abort) == 0 && offsetof(fz_cookie, progress) == 4 && offsetof(fz_cookie, progress_max) == 8);
IS(offsetof(fz_cookie, errors) == 8 + sizeof(size_t) && sizeof(fz_cookie) == 16 + sizeof(size_t));
IS(offsetof(fz_stext_options, flags) == 0 && offsetof(fz_stext_options, scale) == 4 && sizeof(fz_stext_options) == 8);
IS(offsetof(fz_stext_page, mediabox) == sizeof(void *) && offsetof(fz_stext_page, first_block) == sizeof(void *) + 16);
IS(offsetof(fz_stext_block, type) == 0 && offsetof(fz_stext_block, bbox) == 4 && offsetof(fz_stext_block, u) == 24);
IS(offsetof(fz_stext_block, prev) == 56 && offsetof(fz_stext_block, next) == 64);
IS(FZ_MEDIA_BOX == 0 && FZ_STEXT_BLOCK_TEXT == 0);
IS(sizeof(ARC_MUPDF_VERSION) == sizeof(FZ_VERSION));
int main(void) { return strcmp(FZ_VERSION, ARC_MUPDF_VERSION); }
`
	bin := filepath.Join(t.TempDir(), "headers")
	c := exec.Command(cc, "-Wall", "-Werror", "-Wno-unused", "-I"+filepath.Join(strings.TrimSpace(string(dir)), "include"), "-I"+here, "-x", "c", "-", "-o", bin)
	c.Stdin = strings.NewReader(program)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	if err := exec.Command(bin).Run(); err != nil {
		t.Errorf("go-fitz carries another version of MuPDF: %v", err)
	}
}
