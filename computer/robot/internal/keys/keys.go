// Package keys says what robotgo calls a key. robotgo takes a name that it does not
// know for some key or other, and a capital for a small letter with shift; so it is
// told only names that stand here.
package keys

import "github.com/arcseat/arc/computer"

// named are robotgo's names of keys that type nothing.
var named = map[uint32]string{
	computer.SymShift: "lshift", 0xffe2: "rshift",
	computer.SymControl: "lctrl", 0xffe4: "rctrl",
	computer.SymAlt: "lalt", 0xffea: "ralt", computer.SymAltGr: "ralt",
	computer.SymSuper: "lcmd", 0xffec: "rcmd", 0xffe7: "lcmd", 0xffe8: "rcmd",
	0xffe5: "capslock", 0xff7f: "num_lock",

	0xff0d: "enter", 0xff09: "tab", 0xff1b: "escape", 0xff08: "backspace", 0xffff: "delete", 0xff63: "insert", 0x20: "space",
	0xff50: "home", 0xff57: "end", 0xff55: "pageup", 0xff56: "pagedown",
	0xff51: "left", 0xff52: "up", 0xff53: "right", 0xff54: "down",
	0xff67: "menu", 0xff61: "printscreen",

	0xffbe: "f1", 0xffbf: "f2", 0xffc0: "f3", 0xffc1: "f4", 0xffc2: "f5", 0xffc3: "f6", 0xffc4: "f7", 0xffc5: "f8",
	0xffc6: "f9", 0xffc7: "f10", 0xffc8: "f11", 0xffc9: "f12", 0xffca: "f13", 0xffcb: "f14", 0xffcc: "f15", 0xffcd: "f16",
	0xffce: "f17", 0xffcf: "f18", 0xffd0: "f19", 0xffd1: "f20", 0xffd2: "f21", 0xffd3: "f22", 0xffd4: "f23", 0xffd5: "f24",

	0xffb0: "num0", 0xffb1: "num1", 0xffb2: "num2", 0xffb3: "num3", 0xffb4: "num4",
	0xffb5: "num5", 0xffb6: "num6", 0xffb7: "num7", 0xffb8: "num8", 0xffb9: "num9",
	0xff8d: "num_enter", 0xffab: "num+", 0xffad: "num-", 0xffaa: "num*", 0xffaf: "num/", 0xffae: "num.", 0xffbd: "num_equal",

	0x1008ff11: "audio_vol_down", 0x1008ff12: "audio_mute", 0x1008ff13: "audio_vol_up", 0x1008ff14: "audio_play",
	0x1008ff15: "audio_stop", 0x1008ff16: "audio_prev", 0x1008ff17: "audio_next",
}

// pairs are the characters of a US keyboard's keys, each with its shifted one.
const pairs = "`~1!2@3#4$5%6^7&8*9(0)-_=+[{]}\\|;:'\",<.>/?"

// Name is what robotgo calls the key of a keysym, and whether it types it with shift
// down.
func Name(sym uint32) (name string, shift, ok bool) {
	if name, ok := named[sym]; ok {
		return name, false, true
	}
	switch {
	case sym >= 'a' && sym <= 'z', sym >= '0' && sym <= '9':
		return string(rune(sym)), false, true
	case sym >= 'A' && sym <= 'Z':
		return string(rune(sym - 'A' + 'a')), true, true
	}
	for i := range len(pairs) {
		if uint32(pairs[i]) == sym {
			return string(pairs[i&^1]), i&1 == 1, true
		}
	}
	return "", false, false
}

// Flag is the modifier that a key of this name is, in the one word that robotgo has
// for both sides, or "".
func Flag(name string) string {
	switch name {
	case "lshift", "rshift":
		return "shift"
	case "lctrl", "rctrl":
		return "ctrl"
	case "lalt", "ralt":
		return "alt"
	case "lcmd", "rcmd":
		return "cmd"
	}
	return ""
}
