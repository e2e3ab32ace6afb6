package computer

import (
	"fmt"
	"strings"

	"github.com/arcseat/arc"
)

// hostNotes are what a model has to know of a system: what its main modifier is
// called, and what belongs to the operator.
func hostNotes(os string) string {
	switch os {
	case "darwin":
		return "'super' is the Command key. Security and permission dialogs and password fields are the operator's to answer."
	case "windows":
		return "'super' is the Windows key. Security (UAC) and permission prompts, windows run as administrator and password fields are the operator's to answer."
	}
	return "'super' is the Super key; terminals paste with ctrl+shift+v. Password fields and polkit, keyring and sudo prompts are the operator's to answer."
}

// describe words the tool for a turn: how many actions, and what coordinates are.
func (c *Computer) describe(env arc.Env, d arc.Definition) arc.Definition {
	batch := "Send exactly ONE action per call. A picture follows every call but"
	most := max(1, env.Model.Actions)
	if most > 1 {
		batch = fmt.Sprintf("Send 1 to %d actions per call, done in order until one fails. A picture follows every call but", most)
	}
	unit := "pixels of the latest screenshot or zoom"
	if env.Model.Grid {
		unit = "0-999 across the latest screenshot or zoom"
	}
	d.Description = "Operate this computer's desktop: see the screen, click, type, scroll. " + batch +
		" one that only asks cursor_position. Coordinates are " + unit +
		". A zoom ends the call and is their frame until the next screenshot: when a target is small or in a dense group, zoom first, then click in the zoomed picture." +
		" Before clicking, name the target and its box in your reasoning. " + c.opts.HostNotes
	d.Schema = []byte(strings.Replace(string(d.Schema), `"maxItems":1`, fmt.Sprintf(`"maxItems":%d`, most), 1))
	return d
}
