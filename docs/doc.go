// Package docs reads PDF files for a model: what a file is, the text of its pages,
// and where a text stands in it.
//
// # Overview
//
// A [Library] joins three things: [Files], which opens the project's files (a
// workspace is one), an [Engine], which gets text out of a PDF, and the limits of
// [Options]. It is a Go library (Inspect, Read, Search, Text) and a provider of
// three tools: workspace_document_inspect, _read and _search.
//
// The package parses nothing itself and needs no C compiler. Engines are packages
// of their own, so that a host links only what it imports: docs/fitz is the usual
// one, and docs/worker keeps an engine in a child process. Package docstest has an
// engine for tests.
//
// Four things are said plainly and not left to be guessed. Which pages have text:
// a page is text, sparse, garbled (its characters have no meaning: the font does not
// say what they stand for), image_only (something is drawn and there are no words),
// empty, failed, or no_text (nobody measured whether anything is drawn). What was
// not searched: a search counts the pages that have no text that it could look at.
// What is missing: a result that was cut is truncated and brings the exact next call,
// and the pages joined are the whole. And which version of the file it is: each
// result has the SHA-256 of what was parsed, and says so if the seat has seen another
// before.
//
// What is not done: there is no recognition of text in pictures (OCR); files that are
// attached to a PDF are neither read nor named; and letters that a font's own table
// gives for others ("7KH" for "The") are text like any, since only a reader can tell.
//
// # Usage
//
//	ws, err := workspace.Open(dir, nil)
//	…
//	library := docs.New(ws, engine, nil)
//	defer library.Close()
//	about, err := library.Inspect(ctx, "", docs.InspectArgs{Path: "report.pdf"})
//	…
//	pages, err := library.Read(ctx, "", docs.ReadArgs{Path: "report.pdf", StartPage: 3})
//	…
//	found, err := library.Search(ctx, "", docs.SearchArgs{Path: "report.pdf", Query: "liability"})
//
// # Text
//
// Characters are Unicode code points of the text as it is shown: valid UTF-8, line
// feeds for line ends, no other control characters than tab, no blanks at the end of
// a line or of a page, one empty line where there are several, and a line for a column
// of Chinese or Japanese characters, of which an engine makes many. Words that a line
// end parts stay parted.
//
// A search looks at a folded form of it: compatibility forms and ligatures as plain
// letters (NFKC), case folded, white space (and characters without a meaning) as one
// space, soft hyphens and invisible marks left out, typed quotes and dashes as plain
// ones. A hyphen at the end of a line matches with it, without it, and with a space
// behind it; the end of a line in a script without spaces, and a blank between two
// Chinese or Japanese characters, match with and without one. Accents that a file sets
// as characters of their own, as older TeX does ("na¨ıve"), are not joined with their
// letters: whose they are is not to be known. Offsets of a match are of the text as
// shown. A match does not go over the end of a page.
//
// # Trust
//
// The file is hostile, and so may be the engine's answers. A file is copied to a
// private place, hashed while it is copied, and only the copy is parsed: what is
// shown is what the hash names, also if somebody saves meanwhile. A page count that
// the file is too small for is not believed. Text is cleaned, everything is bounded,
// and each call has a time limit. What engines do to memory and to the process is
// theirs: run them in docs/worker. The text of a page is data of a stranger and can
// say anything, also "[page 7]" at the start of a line: where a page of a result
// begins and ends is in pages, in the header. Hidden text (white, tiny, under a
// picture) is text too.
//
// # Concurrency
//
// A Library is safe for concurrent use. Calls for one document take turns at the
// engine, batch by batch. A context ends a call soon, provided the engine keeps its
// contract. Close waits for calls, which it ends, and leaves nothing behind; the
// engine is its maker's.
//
// # Errors
//
// All are *arc.Error, but for a context's own; each method names its codes. A page
// that cannot be read is no error: it is a page with the status failed.
package docs
