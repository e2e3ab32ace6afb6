package computer

import (
	"fmt"
	"strings"
)

// namedKey is a key and the names by which people and models call it: those of X,
// of a browser's KeyboardEvent, of Macs and of Windows. The first is ours.
type namedKey struct {
	sym   uint32
	names string
}

// namedKeys are all keys with a name of more than one letter, but for those that
// addNumbered makes. Names are compared without regard to case.
var namedKeys = [...]namedKey{
	{SymShift, "shift Shift_L LeftShift ShiftLeft lshift"},
	{0xffe2, "Shift_R RightShift ShiftRight rshift"},
	{SymControl, "ctrl control Control_L Ctrl_L ControlLeft lctrl strg"},
	{0xffe4, "Control_R Ctrl_R ControlRight rctrl"},
	{SymAlt, "alt Alt_L AltLeft option opt lalt"},
	{0xffea, "Alt_R AltRight ralt"},
	{SymAltGr, "altgr ISO_Level3_Shift AltGraph"},
	{SymSuper, "super Super_L cmd command win windows meta MetaLeft lwin os"},
	{0xffec, "Super_R MetaRight rwin"},
	{0xffe7, "Meta_L"}, {0xffe8, "Meta_R"},
	{0xffed, "hyper Hyper_L"}, {0xffee, "Hyper_R"},
	{0xffe5, "Caps_Lock CapsLock caps"},
	{0xff7f, "Num_Lock NumLock"},
	{0xff14, "Scroll_Lock ScrollLock"},

	{0xff0d, "Return enter ret linefeed"},
	{0xff09, "Tab"},
	{0xfe20, "ISO_Left_Tab backtab"},
	{0xff1b, "Escape esc"},
	{0xff08, "BackSpace bksp bs backspc"},
	{0xffff, "Delete del"},
	{0xff63, "Insert ins"},
	{0xff50, "Home"}, {0xff57, "End"},
	{0xff55, "Page_Up PageUp pgup Prior"},
	{0xff56, "Page_Down PageDown pgdn pgdown Next"},
	{0xff51, "Left ArrowLeft leftarrow"},
	{0xff52, "Up ArrowUp uparrow"},
	{0xff53, "Right ArrowRight rightarrow"},
	{0xff54, "Down ArrowDown downarrow"},
	{0xff67, "Menu ContextMenu apps"},
	{0xff61, "Print PrintScreen prtsc Snapshot Sys_Req"},
	{0xff13, "Pause"}, {0xff6b, "Break"},
	{0xff6a, "Help"}, {0xff69, "Cancel"}, {0xff65, "Undo"}, {0xff66, "Redo"}, {0xff68, "Find"}, {0xff0b, "Clear"},
	{0xff60, "Select"}, {0xff62, "Execute"},

	{0x20, "space spacebar"},
	{'!', "exclam"}, {'"', "quotedbl doublequote"}, {'#', "numbersign hash"}, {'$', "dollar"}, {'%', "percent"},
	{'&', "ampersand"}, {'\'', "apostrophe quoteright quote"}, {'(', "parenleft"}, {')', "parenright"},
	{'*', "asterisk"}, {'+', "plus"}, {',', "comma"}, {'-', "minus hyphen dash"}, {'.', "period dot"}, {'/', "slash"},
	{':', "colon"}, {';', "semicolon"}, {'<', "less"}, {'=', "equal equals"}, {'>', "greater"}, {'?', "question"},
	{'@', "at"}, {'[', "bracketleft"}, {'\\', "backslash"}, {']', "bracketright"}, {'^', "asciicircum caret"},
	{'_', "underscore"}, {'`', "grave quoteleft backtick"}, {'{', "braceleft"}, {'|', "bar pipe"},
	{'}', "braceright"}, {'~', "asciitilde tilde"},
	{0x10020ac, "EuroSign"}, {0xa3, "sterling"}, {0xdf, "ssharp"}, {0xa7, "section"}, {0xb0, "degree"},
	{0xe4, "adiaeresis"}, {0xf6, "odiaeresis"}, {0xfc, "udiaeresis"}, {0xe9, "eacute"}, {0xe8, "egrave"},
	{0xe0, "agrave"}, {0xe7, "ccedilla"}, {0xf1, "ntilde"}, {0xe5, "aring"}, {0xe6, "ae"}, {0xf8, "oslash"},

	{0xff8d, "KP_Enter numpadenter num_enter"}, {0xffab, "KP_Add numpadadd"}, {0xffad, "KP_Subtract numpadsubtract"},
	{0xffaa, "KP_Multiply numpadmultiply"}, {0xffaf, "KP_Divide numpaddivide"}, {0xffae, "KP_Decimal numpaddecimal"},
	{0xffbd, "KP_Equal numpadequal"}, {0xffac, "KP_Separator"}, {0xff89, "KP_Tab"}, {0xff80, "KP_Space"},
	{0xff95, "KP_Home"}, {0xff96, "KP_Left"}, {0xff97, "KP_Up"}, {0xff98, "KP_Right"}, {0xff99, "KP_Down"},
	{0xff9a, "KP_Page_Up KP_Prior"}, {0xff9b, "KP_Page_Down KP_Next"}, {0xff9c, "KP_End"}, {0xff9d, "KP_Begin"},
	{0xff9e, "KP_Insert"}, {0xff9f, "KP_Delete"},

	{0x1008ff11, "XF86AudioLowerVolume AudioVolumeDown VolumeDown"},
	{0x1008ff12, "XF86AudioMute AudioVolumeMute VolumeMute mute"},
	{0x1008ff13, "XF86AudioRaiseVolume AudioVolumeUp VolumeUp"},
	{0x1008ff14, "XF86AudioPlay MediaPlayPause"}, {0x1008ff15, "XF86AudioStop MediaStop"},
	{0x1008ff16, "XF86AudioPrev MediaTrackPrevious"}, {0x1008ff17, "XF86AudioNext MediaTrackNext"},
	{0x1008ff02, "XF86MonBrightnessUp BrightnessUp"}, {0x1008ff03, "XF86MonBrightnessDown BrightnessDown"},
	{0x1008ff18, "XF86HomePage BrowserHome"}, {0x1008ff19, "XF86Mail"}, {0x1008ff1b, "XF86Search BrowserSearch"},
	{0x1008ff1d, "XF86Calculator"}, {0x1008ff26, "XF86Back BrowserBack"}, {0x1008ff27, "XF86Forward BrowserForward"},
	{0x1008ff29, "XF86Refresh BrowserRefresh"}, {0x1008ff30, "XF86Favorites BrowserFavorites"},
}

// keyTable has the names in lower case.
type keyTable map[string]Key

func newKeyTable() keyTable {
	t := make(keyTable, 4*len(namedKeys))
	for _, k := range namedKeys {
		names := strings.Fields(k.names)
		for _, n := range names {
			t[strings.ToLower(n)] = Key{Name: names[0], Sym: k.sym}
		}
	}
	t.addNumbered(0xffbe, 1, 35, "F%d")
	t.addNumbered(0xffb0, 0, 9, "KP_%d", "numpad%d", "num%d")
	return t
}

// addNumbered adds keys whose names end in a number, the first of names being
// ours.
func (t keyTable) addNumbered(sym uint32, from, to int, names ...string) {
	for i := from; i <= to; i++ {
		key := Key{Name: fmt.Sprintf(names[0], i), Sym: sym + uint32(i-from)}
		for _, n := range names {
			t[strings.ToLower(fmt.Sprintf(n, i))] = key
		}
	}
}
