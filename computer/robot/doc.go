// Package robot is a [computer.Desktop] on robotgo, which knows Linux, macOS and
// Windows.
//
// # Overview
//
// [Open] takes the desktop of this process's session. On Linux robotgo has the
// pointer, its buttons and the wheel; keyboard and pictures are those of package
// computer/x11, because robotgo types by the layout of a US keyboard, and what it
// captures is transparent. On macOS and Windows robotgo does all, with what it is
// known to get wrong set right: unknown and capital key names, notches of the wheel,
// the wheel's other axis, drags, repeated clicks, scaled screens, characters beyond
// 16 bits.
//
// # Usage
//
//	d, err := robot.Open(ctx, nil)
//	if err != nil {
//		return err // unavailable, with the reason
//	}
//	pc, err := computer.Open(ctx, d, nil) // closes d with it
//
// On Linux it is built with the tag robotgo, for which Debian's libxtst-dev and a C
// compiler are needed; on macOS and Windows whenever cgo is on. Without, Open is
// unavailable and says what to install. A program that is built with it does not
// start on a Linux machine without libX11 and libXtst; one with computer/x11 alone
// does.
//
// # Trust
//
// As computer/x11: whoever may use the display may do all that this package does.
// No name of a key and no text of a model reaches robotgo unchecked.
//
// On Linux the library below robotgo ends the process when its display ends or
// refuses something. Open asks first, in Go, whether there is a display; each call
// asks whether it still lives; and handlers are put into Xlib that keep the process
// alive if it dies in between. They are the whole process's, and pass on what
// concerns other displays.
//
// # Concurrency
//
// A Desktop may be used from many goroutines. robotgo's state is the process's, so
// one Desktop is open at a time. A call that robotgo does not return from is given up
// after 10 s or with its context. One that the display died under never returns: its
// thread sleeps until the process ends, and robotgo cannot be used in it any more.
//
// # Errors
//
// Open answers unavailable, with a reason: engine (it was not built, or the display
// that robotgo had has died), those of x11.Open, no_display; locked while another
// Desktop is open; permission_missing where macOS does not let this program see or
// operate the screen. Later calls answer display_lost when the display has ended or
// is silent for 10 s, and what [computer.Desktop] says.
//
// # Platforms
//
// Linux is tested, with Xvfb. For Windows it is compiled and was never run. For macOS
// its Go code was type-checked; it was neither compiled nor run. There, chords with
// punctuation are those of a US keyboard, only the main screen is seen, and what
// another process holds down is not known.
package robot
