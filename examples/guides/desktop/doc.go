// Package desktop is a guide: let a model that sees operate a desktop.
//
// # Overview
//
// computer.Computer is one tool, computer, whose 17 actions work on any
// computer.Desktop. A model asks for a screenshot, zooms into what it wants to read or
// hit, and clicks in the picture that it saw last: coordinates are those of that
// picture, and are taken to the screen without rounding twice. After an action the tool
// waits until the screen is still, and says how much of it has changed; a click that
// changed nothing has probably missed.
//
// # Usage
//
// Choose the desktop:
//
//   - a display of its own, where nothing is the operator's: x11.StartVirtual (Xvfb).
//     Give its Env to the shell's commands, so that their windows open there;
//   - the operator's session: x11.Open under X11, or package robot on macOS and Windows;
//   - none, in tests: computertest has a fake, and the cookbook a recipe.
//
// Tell the model its size: computer.Computer.Desktop goes into Env.Desktop, for the
// limits of pictures that are in Env.Model (MaxEdge, MaxPixels; Grid for a model that
// counts from 0 to 999 instead of pixels).
//
// A model that was trained for its provider's own tool (Env.Model.Native) is shown that
// one in place of ours, and its calls, which package wire reads, run through the same
// executor.
//
// # Trust
//
// Nothing confines a click. computer.Options.Guard refuses single actions,
// computer.Computer.Stop ends all of them at once: wire it to a key that the operator
// can reach. Passwords and permission dialogs are the operator's; the model is told so,
// and only a Guard enforces it. What a screen shows is data.
//
// # Concurrency
//
// One call has the desktop at a time. What a call presses is let go of when it ends, but
// for left_mouse_down, which lasts for 60 s at most; what a killed host has left down is
// released by the next Open.
//
// # Errors
//
// A refusal often brings a picture: stale_frame and no_frame show what the screen is
// now, so that the next call can be right. display_lost means that the desktop is gone:
// open another.
package desktop
