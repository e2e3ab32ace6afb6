package robot

// Options of Open. Nil is fine. The display, on Linux, is that of DISPLAY and
// XAUTHORITY in the process's environment, where robotgo looks for it.
type Options struct {
	// AllowXWayland operates the X windows of a Wayland session, though it cannot
	// see anything else there. Default: refused.
	AllowXWayland bool
}
