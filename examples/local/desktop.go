package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/computer"
	"github.com/arcseat/arc/computer/robot"
	"github.com/arcseat/arc/computer/x11"
)

// Words of Options.Desktop.
const (
	AutoDesktop    = "auto"    // the session's, if it has one that can be operated
	X11Desktop     = "x11"     // the X display that DISPLAY names
	RobotDesktop   = "robot"   // the session's, through robotgo
	VirtualDesktop = "virtual" // one of its own, of 1280×800, where Xvfb is installed; commands run on it
	NoDesktop      = "none"    // nothing is operated
)

var desktops = []string{AutoDesktop, X11Desktop, RobotDesktop, VirtualDesktop, NoDesktop}

// Size of a display of our own.
const virtualWidth, virtualHeight = 1280, 800

// desktopTime is how long a desktop may take to open.
const desktopTime = 40 * time.Second

// openDesktop makes Host.Computer, if turns may have one. Where none may, no desktop is
// touched.
func (h *Host) openDesktop(o *Options) error {
	if o.Screen == nil && (o.Desktop == "" || o.Desktop == NoDesktop) {
		return nil
	}
	if o.Access != arc.FullAccess {
		if o.Screen == nil && o.Desktop != AutoDesktop {
			return &arc.Error{Code: arc.InvalidArguments, Message: "a desktop needs Full Access; add -access full, or leave -desktop out."}
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), desktopTime)
	defer cancel()
	screen := o.Screen
	if screen == nil {
		var err error
		if screen, err = desktop(ctx, o.Desktop); err != nil {
			if o.Desktop == AutoDesktop { // nobody has asked for it
				h.log.Info("there is no desktop", "err", err)
				return nil
			}
			return err
		}
	}
	var err error
	if h.Computer, err = computer.Open(ctx, screen, &computer.Options{Logger: o.Logger}); err != nil {
		return errors.Join(err, screen.Close())
	}
	h.env.Model.Vision = true
	h.env.Desktop, err = h.Computer.Desktop(ctx, h.env.Model)
	if v, ok := screen.(*virtual); ok {
		h.desktopEnv = v.display.Env()
	}
	return err
}

// desktop opens the one that a word names.
func desktop(ctx context.Context, word string) (computer.Desktop, error) {
	switch word {
	case X11Desktop:
		return opened(x11.Open(ctx, nil))
	case RobotDesktop:
		return opened(robot.Open(ctx, nil))
	case VirtualDesktop:
		return opened(openVirtual(ctx))
	case AutoDesktop:
		d, err := opened(robot.Open(ctx, nil))
		if err != nil { // this program may be built without it
			d, err = opened(x11.Open(ctx, nil))
		}
		return d, err
	}
	return nil, noSuchDesktop(word)
}

func noSuchDesktop(word string) error {
	return &arc.Error{Code: arc.InvalidArguments, Message: fmt.Sprintf("%q names no desktop; it is one of %s.", word, strings.Join(desktops, ", "))}
}

// opened makes an interface of a desktop that was opened, and nil of one that was not.
func opened[D computer.Desktop](d D, err error) (computer.Desktop, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// virtual is a display of our own, which ends with its Desktop.
type virtual struct {
	*x11.Desktop
	display *x11.Virtual
}

func openVirtual(ctx context.Context) (*virtual, error) {
	v, err := x11.StartVirtual(ctx, virtualWidth, virtualHeight)
	if err != nil {
		return nil, err
	}
	d, err := v.Open(ctx)
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return &virtual{d, v}, nil
}

// Close closes both.
func (v *virtual) Close() error { return errors.Join(v.Desktop.Close(), v.display.Close()) }

// desktopTools are those of the desktop.
func (h *Host) desktopTools() []arc.Provider {
	if h.Computer == nil {
		return nil
	}
	return []arc.Provider{h.Computer}
}

// closeDesktop closes what openDesktop has opened.
func (h *Host) closeDesktop(ctx context.Context) error {
	if h.Computer == nil {
		return nil
	}
	return h.Computer.Close(ctx)
}

// desktopFlag reads the flag -desktop.
func (o *Options) desktopFlag(word string) error {
	if !slices.Contains(desktops, word) {
		return fmt.Errorf("it is one of %s", strings.Join(desktops, ", "))
	}
	o.Desktop = word
	return nil
}
