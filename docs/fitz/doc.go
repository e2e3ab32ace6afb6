// Package fitz reads PDF files with MuPDF, as it comes with
// github.com/gen2brain/go-fitz.
//
// # Overview
//
// [New] returns the default [docs.Engine]. It serves each file in a process of
// its own, through package worker, and needs no C library on the machine: cgo
// and a C compiler are all that the build asks for. Without them the package
// builds too, and New says what is missing.
//
// MuPDF and go-fitz are under the AGPL, and so is a program that links this
// package. Of this module only the examples import it.
//
// Words that the end of a line parts stay parted: MuPDF can join them, and makes
// "wellknown" of "well-known" then. A search of package docs looks for both.
//
// A page's text has that of its form fields and annotations. Each letter in a field
// for a password is an asterisk. What people have said in notes on the page and
// about what they have marked comes behind the text, each after "[note] ", up to
// 64 KiB a page; notes that the file hides are left out.
//
// # Usage
//
//	engine, err := fitz.New(ctx, nil)
//	if err != nil {
//		return err // docs.ErrUnavailable, with what to install
//	}
//	defer engine.Close()
//
// The worker process is this very program, started again: an init function of
// this package finds that it is in a worker, serves, and exits before main
// begins. It is the only init in the module, and it does nothing in a process
// that no engine has started. A program that may not have it is built with the
// tag arc_noreexec, and then calls [Main] as the first line of its main, and
// says so in [Options].Main; or it names a program of its own that does, in
// [Options].Worker.
//
// # Warnings
//
// What MuPDF says beside its results becomes words in Info and Page: repaired (the
// file's table of objects was made anew), cjk_font_missing (an East Asian font is not
// in the file; the text is right where its encoding is known), text_outside_page
// (some of the text is where no reader sees it: beyond the paper or what is cropped
// of it), text_may_be_incomplete (the page's drawing has errors or breaks off, or
// there are more notes than are read, and what was read is not known to be all),
// labels_not_read (the page labels would take too long). On go-fitz's public
// functions there is form_and_annotation_text_not_read alone.
//
// # Trust
//
// A PDF file is hostile until read. This MuPDF (1.24.9) has no fixes after
// August 2024, it ends its process on errors that it does not expect, and it can
// be made to take all memory and time. That is why it runs in a worker, with
// limits of both, and why New never falls back to this process by itself:
// [Options].AllowInProcess is the host's own word, for files that it has made.
//
// # Concurrency
//
// An Engine and its documents are safe for concurrent use. Calls for one
// document wait for each other, as those for different documents do beyond
// Options.Worker.MaxProcs.
//
// # Errors
//
// Errors are those of package docs. Those of this machine (no cgo, no worker)
// are [docs.ErrUnavailable].
package fitz
