package computer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arcseat/arc"
)

const (
	maxChords = 20 // of one key action
	maxKeys   = 10 // of one chord: as many as a person has fingers
	maxNear   = 3  // names that an unknown one is answered with
)

// A chord is keys that are down together, in the order in which they go down.
type chord []Key

// chords reads the text of a key action: chords between blanks, each of them keys
// between plus signs. A blank alone is the space bar.
func (t keyTable) chords(text string) ([]chord, error) {
	if text != "" && strings.Trim(text, " ") == "" {
		return []chord{{t["space"]}}, nil
	}
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return nil, invalid("empty_key", "text names no key; give one such as 'Return' or 'ctrl+s'.")
	case len(fields) > maxChords:
		return nil, invalid("too_many_keys", "text has %d keys one after another; give at most %d.", len(fields), maxChords)
	}
	var all []chord
	for _, f := range fields {
		c, err := t.chord(f)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// chord reads one chord, such as ctrl+shift+T. A character that stands alone is
// typed as it is; after ctrl, alt or super a letter is the key that it is on, so
// that ctrl+T is not ctrl+shift+t.
func (t keyTable) chord(text string) (chord, error) {
	parts := splitChord(text)
	if len(parts) > maxKeys {
		return nil, invalid("too_many_keys", "a chord of %d keys is more than hands can press; join at most %d with +, and put blanks between keys that follow each other.", len(parts), maxKeys)
	}
	var c chord
	command := false
	for _, p := range parts {
		k, err := t.key(p)
		if err != nil {
			return nil, err
		}
		command = command || k.Modifier()
		c = append(c, k)
	}
	if command {
		for i, k := range c {
			if r := k.Rune(); unicode.IsUpper(r) {
				lower := unicode.ToLower(r)
				c[i] = Key{Name: string(lower), Sym: RuneSym(lower)}
			}
		}
	}
	for i, k := range c {
		if slices.ContainsFunc(c[:i], func(o Key) bool { return o.Sym == k.Sym }) {
			return nil, invalid("key_twice", "%q holds %s twice; name each key once.", clip(text, 100), k.Name)
		}
	}
	return c, nil
}

// splitChord cuts at plus signs. One that ends the chord, or stands where a key
// is due, is the key itself: "+", "ctrl++".
func splitChord(text string) []string {
	var parts []string
	for text != "" {
		i := strings.IndexByte(text, '+')
		if i == 0 { // a key is due
			parts = append(parts, "+")
			text = strings.TrimPrefix(text[1:], "+")
			continue
		}
		if i < 0 {
			return append(parts, text)
		}
		parts = append(parts, text[:i])
		text = text[i+1:]
		if text == "" {
			parts = append(parts, "+")
		}
	}
	return parts
}

// key is the key of a name or of a single character.
func (t keyTable) key(name string) (Key, error) {
	if r, n := utf8.DecodeRuneInString(name); n == len(name) && r != utf8.RuneError && unicode.IsPrint(r) {
		return Key{Name: name, Sym: RuneSym(r)}, nil
	}
	if k, ok := t[strings.ToLower(name)]; ok {
		return k, nil
	}
	near := t.near(name)
	message := "there is no key of that name; use names such as Return, Page_Down, F5 or single characters, joined by +."
	if len(near) > 0 {
		message = "there is no key of that name; did you mean " + strings.Join(near, " or ") + "?"
	}
	return Key{}, &arc.Error{Code: UnknownKey, Message: message, Detail: struct {
		Key     string   `json:"key"`
		Nearest []string `json:"nearest,omitempty"`
	}{clip(name, 40), near}}
}

// modifiers reads the text of a click or of scrolling: modifiers alone.
func (t keyTable) modifiers(text string) (chord, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	c, err := t.chord(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	for _, k := range c {
		if !k.Modifier() {
			return nil, invalid("not_a_modifier", "text of a click or scroll holds modifiers such as 'shift' or 'ctrl+alt', not %s; type and key have actions of their own.", k.Name)
		}
	}
	return c, nil
}

// near are the names most like an unknown one, at most maxNear, closest first.
func (t keyTable) near(name string) []string {
	name = strings.ToLower(clip(name, 40))
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for spelled, key := range t {
		d := distance(name, spelled)
		if strings.Contains(spelled, name) || strings.Contains(name, spelled) && len(spelled) > 2 {
			d = min(d, 2)
		}
		if d > max(1, (len(name)+1)/3) {
			continue
		}
		i := slices.IndexFunc(found, func(c candidate) bool { return c.name == key.Name })
		if i < 0 {
			found = append(found, candidate{key.Name, d})
		} else {
			found[i].distance = min(found[i].distance, d)
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var names []string
	for _, c := range found[:min(len(found), maxNear)] {
		names = append(names, c.name)
	}
	return names
}

// distance is how many letters have to be added, dropped or replaced.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				d = min(d, diagonal)
			} else {
				d = min(d, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// clip is s with at most n characters.
func clip(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
