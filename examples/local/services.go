package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools"
	"github.com/arcseat/arc/tools/mcptool"
)

// serviceState is the folder of the state directory in which services' long outputs are.
const serviceState = "mcp"

// openServices makes Host.Services, if there are any.
func (h *Host) openServices(o *Options) (err error) {
	if len(o.Services) == 0 {
		return nil
	}
	if o.Access != arc.FullAccess {
		return &arc.Error{Code: arc.InvalidArguments, Message: "a service needs Full Access; add -access full, or leave -service out."}
	}
	h.Services, err = mcptool.Open(&mcptool.Options{State: filepath.Join(h.State, serviceState), Logger: o.Logger})
	if err != nil {
		return ofState(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-o.Stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for _, s := range o.Services {
		s.Dir = cmp.Or(s.Dir, h.dir)
		if err := h.Services.Connect(ctx, s); err != nil {
			return err
		}
	}
	h.granted = o.Granted
	h.env.Services = h.Services.Names()
	return nil
}

// serviceTools are those of the services.
func (h *Host) serviceTools() []arc.Provider {
	if h.Services == nil {
		return nil
	}
	return []arc.Provider{h.Services}
}

// closeServices ends what openServices has started.
func (h *Host) closeServices(ctx context.Context) error {
	if h.Services == nil {
		return nil
	}
	return h.Services.Close(ctx)
}

// grants are the services of a turn: those that the host grants its seat.
func (h *Host) grants(env arc.Env, seat arc.SeatID) arc.Env {
	if h.granted != nil && len(env.Services) > 0 {
		now := h.granted(seat)
		env.Services = slices.DeleteFunc(slices.Clone(env.Services), func(name string) bool { return !slices.Contains(now, name) })
	}
	return env
}

// recheck asks the host at each call what it grants now, beside whatever o asks.
func (h *Host) recheck(o *tools.Options) {
	if h.granted == nil {
		return
	}
	asked := o.Recheck
	o.Recheck = func(ctx context.Context, t arc.Turn) arc.Env {
		env := t.Env
		if asked != nil {
			env = asked(ctx, t)
		}
		return h.grants(env, t.Origin.Seat)
	}
}

// serviceFlag reads a flag -service: NAME=COMMAND or NAME=URL.
func (o *Options) serviceFlag(s string) error {
	name, command, _ := strings.Cut(s, "=")
	one := mcptool.Service{Name: name}
	if strings.HasPrefix(command, "http://") || strings.HasPrefix(command, "https://") {
		one.URL = command
	} else {
		var err error
		if one.Command, err = words(command); err != nil {
			return err
		}
	}
	if name == "" || one.URL == "" && len(one.Command) == 0 {
		return errors.New("it is NAME=COMMAND or NAME=URL")
	}
	if slices.ContainsFunc(o.Services, func(s mcptool.Service) bool { return s.Name == name }) {
		return fmt.Errorf("there are two services called %s", name)
	}
	o.Services = append(o.Services, one)
	return nil
}

// words are those of a command line: parted by spaces, but for those between quotes.
func words(line string) (all []string, err error) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote == r:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			begun, quote = true, r
		case r == ' ' || r == '\t':
			if begun {
				all = append(all, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c has no end", quote)
	}
	if begun {
		all = append(all, word.String())
	}
	return all, nil
}
