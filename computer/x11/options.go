package x11

// Options of Open. Nil is fine.
type Options struct {
	// Display to connect to: :1, host:0.1 or a socket's path. Default: $DISPLAY.
	Display string

	// Xauthority is the file with the display's cookie. Default: $XAUTHORITY, else
	// ~/.Xauthority.
	Xauthority string

	// AllowXWayland operates the X windows of a Wayland session, though it cannot
	// see anything else there. Default: refused.
	AllowXWayland bool
}
