package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// An Engine reads PDF files. The package trusts none of what it says: page
// counts are tested for plausibility, text is cleaned, time is limited.
// An Engine and its Documents are safe for concurrent use; an engine that can
// do one thing at a time makes the others wait, until their context ends.
type Engine interface {
	// Name tells the engine and its version, as "mupdf-1.24.9/go-fitz-1.24.15".
	// It is part of the key under which text is kept, so two engines that give
	// different text have different names.
	Name() string
	// Open opens a file. The error is one of this file's, or a context's.
	// Open keeps no hold on src.File after Close of the Document.
	Open(ctx context.Context, src Source, o OpenOptions) (Document, error)
}

// A Document is one open file.
type Document interface {
	// Info tells what the file says of itself. It loads no page but the last.
	Info(ctx context.Context) (Info, error)
	// Pages returns the pages first to last, counted from 1, both included,
	// in order. A page that could not be read is returned with Err set and
	// costs the others nothing. An error of Pages itself says that the
	// document is of no use any more; the pages read so far come with it.
	Pages(ctx context.Context, first, last int, want Want) ([]Page, error)
	Close() error // frees it; the engine may still be used
}

// Source is a private copy of the file, which nobody writes to.
type Source struct {
	File   *os.File // open for reading; positions are the engine's own affair (use ReadAt, or the descriptor)
	Size   int64    // bytes
	SHA256 string   // of all of it, lower-case hex
}

// OpenOptions are what an engine is told about one file.
type OpenOptions struct {
	Password string // user password; empty: none is known
}

// Want says which parts of a page are asked for. A zero Want asks whether the
// page loads.
type Want uint8

const (
	WantText  Want = 1 << iota // Page.Text
	WantInk                    // Page.Ink: costs a small rendering
	WantLabel                  // Page.Label
)

// Info is a file's word about itself: nothing in it is to be trusted.
type Info struct {
	Pages      int      // declared
	LastLoads  bool     // the last page could be loaded, so Pages is right
	Format     string   // "PDF 1.4"
	Encryption string   // empty: none
	Metadata   Metadata // what the file says of its making
	Warnings   []string // stable words: WarnRepaired and the others, or the engine's own
}

// Metadata is the document information dictionary, values as they stand there.
// Empty: there is none.
type Metadata struct {
	Title    string // the document's
	Author   string // who wrote it
	Subject  string // what it is about
	Keywords string // as its maker lists them
	Creator  string // the program that it was written in
	Producer string // the program that made the PDF file
	Created  string // when it was made
	Modified string // when it was last changed
}

// Page is one page. Its text is in content order, with a line feed after each
// line, and may hold anything that a file can hold: invalid UTF-8 and control
// characters too.
type Page struct {
	Number   int      // from 1
	Text     string   // as the engine reads it
	Label    string   // printed page number, as "xiv"; empty: none, or the engine knows of none
	Ink      float64  // share of the page that isn't white, 0 to 1
	HasInk   bool     // Ink was measured
	Warnings []string // as Info.Warnings, of this page
	Err      error    // the page could not be read: ErrPage, ErrTimeout, ErrMemory, ErrCrashed
}

// What an Engine's errors are, by errors.Is. They carry no text of the file.
var (
	ErrEncrypted   = errors.New("needs a password, or uses an encryption that the engine does not know")
	ErrNotPDF      = errors.New("not a PDF")
	ErrDamaged     = errors.New("damaged: the engine cannot open it")
	ErrPage        = errors.New("the page cannot be read")
	ErrMemory      = errors.New("needs more memory than the engine may use")
	ErrTimeout     = errors.New("takes longer than the engine may take")
	ErrCrashed     = errors.New("made the engine crash")
	ErrUnavailable = errors.New("no engine that reads PDF files is here")
)

// Unavailable is an ErrUnavailable that says what is missing and how to get it.
func Unavailable(why string) error { return fmt.Errorf("%w: %s", ErrUnavailable, why) }
