package tools

import (
	"cmp"
	"slices"
)

// checkUnique reports each item that stands in the list already. Items are
// compared by what they are worth, as an enum's are: 1 and 1.0 are one number.
func (f *fitter) checkUnique(items []*value, at string) {
	const perItem = 10 * workPerStep // to make and keep its key
	seen := make(map[string]int, len(items))
	for i, item := range items {
		key := item.key(nil)
		if !f.afford(perItem + len(key)) {
			f.giveUp(at)
			return
		}
		if first, ok := seen[string(key)]; ok {
			f.problem(at, "has %s at [%d] and again at [%d], must have each item once", item.describe(), first, i)
			continue
		}
		seen[string(key)] = i
	}
}

// key appends a text that two values share only if they are equal.
func (v *value) key(dst []byte) []byte {
	switch v.kind {
	case number:
		if r := exact(v.text); r != nil {
			return append(dst, r.RatString()...)
		}
		return append(append(dst, 'n'), v.text...)
	case array:
		dst = append(dst, '[')
		for _, item := range v.items {
			dst = append(item.key(dst), ',')
		}
		return append(dst, ']')
	case object:
		members := slices.SortedFunc(slices.Values(v.members), func(a, b member) int { return cmp.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(appendText(dst, m.name), ':')
			dst = append(m.value.key(dst), ',')
		}
		return append(dst, '}')
	case text: // written anew: a character and its escape are the same
		return appendText(dst, v.text)
	}
	return v.appendTo(dst)
}
