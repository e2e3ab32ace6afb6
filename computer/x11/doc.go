// Package x11 is a computer.Desktop for X11, in Go alone: no C compiler, no X
// libraries.
//
// # Overview
//
// [Open] connects to a display. Input goes through the XTEST extension. Pictures
// come through shared memory where the server is on this machine, else over the
// connection, and show the pointer with the help of XFIXES.
//
// Text is typed by what keys mean in the layout and group of the moment, with shift
// and AltGr as they need it and Caps Lock put aside. Characters that no key has get
// one of the keyboard's unused codes for as long as it takes: a few at a time, so
// that a program which is slow to hear of a new mapping still sees the old one.
// Afterwards the mapping is what it was.
//
// [StartVirtual] starts a display of its own, without a screen, on machines that
// have Xvfb.
//
// # Usage
//
//	d, err := x11.Open(ctx, nil)
//	if err != nil {
//		return err // unavailable, with the reason
//	}
//	pc, err := computer.Open(ctx, d, nil) // closes d with it
//
// # Trust
//
// The display's server is trusted as the desktop itself is: it draws what the model
// sees. One that dies, hangs or shrinks its screen is an error, and the host goes on.
// Whoever may use the display may do all that this package does.
//
// # Concurrency
//
// A Desktop may be used from many goroutines. Close ends all of its own. The X
// library logs to the standard error stream of the host; Open silences it, for the
// whole process.
//
// # Errors
//
// Open answers unavailable, with a reason: no_display, refused (the server wants
// another cookie), unsupported_session (Wayland), depth (fewer than 24 bits a
// pixel), extension (no XTEST), platform. Later calls answer display_lost when the
// server is gone or silent for 10 s, and what computer.Desktop says.
//
// # Platforms
//
// Linux is tested, with Xvfb. The BSDs build and were not tried. Elsewhere Open is
// unavailable.
//
// # Limits
//
// Under Wayland an X client sees X windows only: Open refuses unless it is told
// otherwise. A process that is killed while it types characters that no key has
// leaves their codes mapped. [Desktop.Release] lets go of every key that is down
// through XTEST; it cannot tell whose they are. Two Desktops that type such characters
// on one display at the same time take codes from each other, and wrong text arrives;
// so it does while somebody else holds a shift, Ctrl or Alt key down.
//
// No protocol tells when a program has read a new mapping: Text waits, longer on a busy
// machine as far as /proc/loadavg tells that it is one, and a program that is later still
// loses characters that no key has. A character is pressed and released in one message; what
// [Desktop.Key] presses stays down until it is told otherwise, and a host that is kept
// from that for longer than the server's repeat delay has the key repeated.
package x11
