//go:build cgo && !nocgo && !extlib

package fitz

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/arcseat/arc/docs"
	"github.com/gen2brain/go-fitz" // also for the library that shim.c is linked with
)

// guardedFits says whether the library is the version that shim.c is written
// for: the bundled one is, until go-fitz is another.
func guardedFits() bool { return C.arc_fits() != 0 }

// guarded is an engine on the library that go-fitz carries, past go-fitz's own
// functions: errors are errors and do not end the process, memory is limited, a
// page's reading can be stopped, and form fields, annotations, passwords and
// page labels are there.
type guarded struct {
	memory int64 // bytes that MuPDF may allocate for a file
	served bool  // in a worker, whose host finds out whether the last page loads
}

func (guarded) Name() string { return "mupdf-" + fitz.FzVersion + "/" + binding }

func (g guarded) Open(ctx context.Context, src docs.Source, o docs.OpenOptions) (docs.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path := C.CString(pathOf(src))
	defer C.free(unsafe.Pointer(path))
	d := &guardedDocument{src: src, served: g.served, turn: newTurn()}
	var status C.arc_status
	for _, password := range spellings(o.Password) {
		p := C.CString(password)
		status = C.arc_open(&d.c, path, p, C.size_t(g.memory))
		C.free(unsafe.Pointer(p))
		if status == C.ARC_OK {
			d.warnings = d.log()
			return d, nil
		}
		C.arc_close(d.c)
		if status != C.ARC_ENCRYPTED {
			break
		}
	}
	return nil, statusError(status, docs.ErrDamaged)
}

// statusError is the error of a status; failed is what ARC_FAILED means here.
func statusError(s C.arc_status, failed error) error {
	switch s {
	case C.ARC_OK:
		return nil
	case C.ARC_ENCRYPTED:
		return docs.ErrEncrypted
	case C.ARC_MEMORY:
		return docs.ErrMemory
	case C.ARC_STOPPED:
		return docs.ErrTimeout
	}
	return failed
}

type guardedDocument struct {
	c        *C.arc_doc
	src      docs.Source // its descriptor stays open as long as the document
	served   bool
	turn     turn
	warnings []string // of the opening
}

// log returns the warnings since the last log.
func (d *guardedDocument) log() []string {
	var warnings []string
	for line := range strings.Lines(C.GoString(C.arc_log(d.c))) {
		if w := explain(line); w != "" && w != failedAlloc && !slices.Contains(warnings, w) {
			warnings = append(warnings, w)
		}
	}
	C.arc_clear_log(d.c)
	return warnings
}

// use calls f alone, and stops what runs a page in it when ctx ends. The error
// is then the context's.
func (d *guardedDocument) use(ctx context.Context, f func() error) error {
	return d.turn.use(ctx, func() error {
		C.arc_start(d.c)
		stopped := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			defer close(stopped)
			C.arc_stop(d.c)
		})
		err := f()
		if stop() {
			return err
		}
		<-stopped
		return ctx.Err()
	})
}

func (d *guardedDocument) Info(ctx context.Context) (info docs.Info, err error) {
	err = d.use(ctx, func() (err error) {
		info, err = d.info()
		return err
	})
	return info, err
}

// maxMetadata is the most of a field that is read, in bytes.
const maxMetadata = 16 << 10

func (d *guardedDocument) info() (docs.Info, error) {
	var n C.int
	if status := C.arc_count(d.c, &n); status != C.ARC_OK {
		return docs.Info{}, statusError(status, docs.ErrDamaged)
	}
	info := docs.Info{Pages: int(n)}
	if n > 0 && !d.served {
		info.LastLoads = C.arc_page(d.c, n-1, nil, nil, 0) == C.ARC_OK
	}
	value := (*C.char)(C.malloc(maxMetadata))
	defer C.free(unsafe.Pointer(value))
	lookup := func(key string) string {
		name := C.CString(key)
		defer C.free(unsafe.Pointer(name))
		if C.arc_metadata(d.c, name, value, maxMetadata) != C.ARC_OK {
			return ""
		}
		return C.GoString(value)
	}
	info.Format = lookup("format")
	info.Encryption = encryption(lookup("encryption"))
	info.Metadata = docs.Metadata{
		Title: lookup("info:Title"), Author: lookup("info:Author"), Subject: lookup("info:Subject"), Keywords: lookup("info:Keywords"),
		Creator: lookup("info:Creator"), Producer: lookup("info:Producer"), Created: lookup("info:CreationDate"), Modified: lookup("info:ModDate"),
	}
	info.Warnings = slices.Clone(d.warnings)
	for _, w := range d.log() {
		if !slices.Contains(info.Warnings, w) {
			info.Warnings = append(info.Warnings, w)
		}
	}
	return info, nil
}

func (d *guardedDocument) Pages(ctx context.Context, first, last int, want docs.Want) (pages []docs.Page, err error) {
	for n := first; n <= last; n++ {
		var p docs.Page
		err := d.use(ctx, func() error {
			p = d.page(n, want)
			return nil
		})
		if err != nil && p.Err == nil && p.Number == n {
			err = nil // it was done before the end came
		}
		if err != nil {
			return pages, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// maxLabel is the most of a page's label that is read, in bytes.
const maxLabel = 100

func (d *guardedDocument) page(n int, want docs.Want) docs.Page {
	p := docs.Page{Number: n}
	var text *C.arc_text
	if want&docs.WantText != 0 {
		text = (*C.arc_text)(C.calloc(1, C.sizeof_arc_text))
		defer func() {
			C.arc_free_text(text)
			C.free(unsafe.Pointer(text))
		}()
	}
	var buf [maxLabel]C.char
	var label *C.char
	if want&docs.WantLabel != 0 {
		label = &buf[0]
	}
	status := C.arc_page(d.c, C.int(n-1), text, label, maxLabel)
	if status != C.ARC_OK {
		return docs.Page{Number: n, Err: statusError(status, docs.ErrPage), Warnings: d.log()}
	}
	if text != nil {
		p.Text = string(unsafe.Slice((*byte)(unsafe.Pointer(text.data)), int(text.size)))
	}
	if l := C.GoString(&buf[0]); l != strconv.Itoa(n) {
		p.Label = l // MuPDF gives the page's number where the file has no labels
	}
	p.Warnings = d.log()
	if want&docs.WantInk != 0 {
		var share C.double
		p.HasInk = C.arc_ink(d.c, C.int(n-1), inkDPI, inkSide, &share) == C.ARC_OK
		p.Ink = min(1, max(0, float64(share)))
		for _, w := range d.log() {
			if w != docs.WarnIncomplete && !slices.Contains(p.Warnings, w) { // a picture that breaks off costs no text
				p.Warnings = append(p.Warnings, w)
			}
		}
	}
	return p
}

func (d *guardedDocument) Close() (err error) {
	d.turn.close(func() {
		if kept := C.arc_close(d.c); kept != 0 {
			err = fmt.Errorf("MuPDF has kept %d bytes of a closed document", kept)
		}
	})
	return err
}
