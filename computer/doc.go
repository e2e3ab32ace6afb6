// Package computer operates a desktop for a model: the tool computer, with its 17
// actions, over whatever implements [Desktop].
//
// # Overview
//
// A [Computer] takes a model's actions and a [Desktop] does them: package
// computer/x11 is one, computertest has a fake. All that can be decided without a
// screen is decided here.
//
// Coordinates are read in the frame of the latest picture that the seat was given:
// a screenshot, or a zoom into one, as deep as it likes. They go from the middle of
// a pixel of the picture straight to the native pixel below it, in integers, so
// that no zoom adds an error to the next. A model may count pixels or a grid of 0
// to 999. Without a picture, or after the screen has changed its size, a
// coordinate is refused, and the refusal brings the picture. One outside of the
// frame is refused too; nothing is clamped.
//
// A call is checked as a whole before anything happens, and ends at the first
// action that fails. After its last action it waits until the screen is still:
// for a first change, at most 400 ms, then until nothing has changed for 120 ms,
// at most 2 s. The result says how much of the screen has changed, and where: a
// click that changed nothing has probably missed. A caret that blinks does not
// keep it waiting.
//
// Pictures are PNG, and JPEG where that would be over 1 MB; they are shrunk to what
// the model takes, by whole numbers where that costs little, and never enlarged
// but for a zoom. Every seat has its own frame on the one desktop.
//
// Keys are named as X, browsers, Macs or Windows name them: Return, ArrowUp, cmd,
// pgdn. An unknown name is refused with the nearest ones, before anything is
// pressed. Whatever is pressed is written down first and released again: at the end
// of the action, or when the call fails, is canceled or stopped. left_mouse_down
// lasts until left_mouse_up, and for 60 s at most. What a killed process has left
// down is released by the next Open.
//
// # Usage
//
//	d, err := x11.Open(ctx, nil)
//	if err != nil {
//		return err // unavailable: no display; go on without the tool
//	}
//	pc, err := computer.Open(ctx, d, nil)
//	if err != nil {
//		return err
//	}
//	defer pc.Close(context.Background())
//	env.Desktop, err = pc.Desktop(ctx, env.Model)
//
// A Computer is an [arc.Provider]: give it to tools.NewSet. The tool needs Full
// Access, a desktop and a model that sees, and is not there while planning. It is
// worded for the turn: how many actions a call may have, pixels or grid, and what
// the system's keys are called.
//
// # Trust
//
// The desktop is the operator's, and nothing confines what a click may do. Access
// is checked at every call; [Options.Guard] may refuse single actions,
// [Computer.Stop] ends whatever is going on at once, and a pointer that somebody
// else has moved is noticed. Passwords and permission dialogs are the operator's:
// the description says so, and the model is trusted to heed it. What is typed is
// never logged; a Touch says where clicks went. No clipboard is read or written,
// and no command is run. Whatever a screenshot shows is data.
//
// # Concurrency
//
// A Computer may be used from many goroutines: one call has the desktop, others
// wait for 5 s and are then refused as locked. Nothing runs between calls but the
// timer that releases a held button. [Computer.Close] ends all.
//
// # Errors
//
// Errors are [*arc.Error]; [Computer.Do] names the codes. A failed call has a
// result as well: what was done before, and usually a picture.
package computer
