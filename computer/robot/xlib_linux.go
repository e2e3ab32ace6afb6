//go:build cgo && robotgo && (386 || amd64 || arm || arm64 || riscv64)

package robot

/*
#cgo LDFLAGS: -lX11
#define _DEFAULT_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <X11/Xlib.h>

// robotgo's: its connection, which it opens when there is none.
extern Display *XGetMainDisplay(void);

static Display *ours;
static atomic_int died;
static atomic_int refusal; // the code of the latest X error
static int handled, on_exit_too;
static int exiting, exit_status;
static XErrorHandler other_error;
static XIOErrorHandler other_io_error;

static int on_error(Display *d, XErrorEvent *e) {
	if (d != ours)
		return other_error ? other_error(d, e) : 0;
	atomic_store(&refusal, e->error_code);
	return 0;
}

// Xlib ends the process when this returns, and the connection cannot be used again:
// Xlib would wait for itself. So the thread stays here.
static int on_io_error(Display *d) {
	if (d != ours)
		return other_io_error ? other_io_error(d) : 0;
	atomic_store(&died, 1);
	if (exiting)
		_exit(exit_status);
	for (;;)
		pause();
}

#ifdef __GLIBC__
// robotgo closes the display when C code ends the process, as that of the race
// detector does.
static void at_exit(int status, void *unused) {
	exiting = 1;
	exit_status = status;
	if (atomic_load(&died))
		_exit(status);
}
#endif

// arc_connect is the name of robotgo's display; NULL if there is none.
static const char *arc_connect(void) {
	if (!handled) {
		handled = 1;
		other_error = XSetErrorHandler(on_error);
		other_io_error = XSetIOErrorHandler(on_io_error);
	}
	ours = XGetMainDisplay();
	if (!ours)
		return NULL;
#ifdef __GLIBC__
	if (!on_exit_too) // and so called before what robotgo has just registered
		on_exit(at_exit, NULL);
	on_exit_too = 1;
#endif
	XSync(ours, False); // one that has died is found out here
	atomic_store(&refusal, 0);
	return DisplayString(ours);
}

static int arc_died(void) { return atomic_load(&died); }
static int arc_refusal(void) { return atomic_exchange(&refusal, 0); }
*/
import "C"

import "fmt"

// connect opens robotgo's display, and keeps Xlib from ending the process because of
// it. It returns the display's name, empty if there is none.
func connect() string {
	name := C.arc_connect()
	if name == nil {
		return ""
	}
	return C.GoString(name)
}

// dead reports whether robotgo's display has died. Nothing of it may be called then.
func dead() bool { return C.arc_died() != 0 }

// refused is what the display refused since it was last asked, or nil.
func refused() error {
	if code := C.arc_refusal(); code != 0 {
		return fmt.Errorf("the display refused it with the X error %d", code)
	}
	return nil
}
