package docstest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Font is one that Page.Content uses. What it says goes into the file as it is.
type Font struct {
	Entries    string // of its dictionary: "/Subtype/Type1/BaseFont/Helvetica"
	Descriptor string // entries of its descriptor; empty: it has none, and no Program
	Program    []byte // of Type 1
	Clear      int    // bytes of Program that come before the part that is enciphered
}

// fontNumbers are the objects of fonts, by their names.
type fontNumbers map[string]int

// embed puts fonts into the file.
func embed(w *writer, fonts map[string]Font) fontNumbers {
	all := fontNumbers{}
	for _, name := range slices.Sorted(maps.Keys(fonts)) {
		f := fonts[name]
		all[name] = w.reserve()
		entries := f.Entries
		if f.Descriptor != "" {
			descriptor, program := w.reserve(), w.reserve()
			w.stream(program, fmt.Sprintf("/Length1 %d/Length2 %d/Length3 0", f.Clear, len(f.Program)-f.Clear), f.Program)
			w.object(descriptor, fmt.Sprintf("<</Type/FontDescriptor%s/FontFile %d 0 R>>", f.Descriptor, program))
			entries += fmt.Sprintf("/FontDescriptor %d 0 R", descriptor)
		}
		w.object(all[name], "<</Type/Font"+entries+">>")
	}
	return all
}

// names are the entries of a page's resources.
func (n fontNumbers) names(used []string) string {
	var b strings.Builder
	for _, name := range used {
		fmt.Fprintf(&b, "/%s %d 0 R", name, n[name])
	}
	return b.String()
}
