package tools

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A call may take so many steps of checking. No schema made for people comes
// near; one made to be slow is refused instead of checked.
const (
	stepsPerCall = 50_000
	stepsPerNode = 100
	workPerStep  = 500          // bytes compared, or instructions of a pattern
	maxFits      = 8 * maxDepth // fits within each other
)

// A fitter fits one call's arguments to a schema and collects what does not fit.
type fitter struct {
	repair    bool
	foldsCase bool
	steps     *int // left, for this call
	depth     int
	problems  []string
	more      int // problems beyond those kept
}

// maxProblems are kept; a model mends no more at once.
const maxProblems = 20

// full notes a problem that nobody will read, so that it need not be worded.
func (f *fitter) full() bool {
	if len(f.problems) < maxProblems {
		return false
	}
	f.more++
	return true
}

func (f *fitter) problem(at, format string, args ...any) {
	if f.full() {
		return
	}
	if at == "" {
		at = "the arguments object"
	}
	f.problems = append(f.problems, at+" "+fmt.Sprintf(format, args...))
}

// branch is a fitter of the same call that keeps its problems to itself.
func (f *fitter) branch(repair bool) *fitter {
	return &fitter{repair: repair, foldsCase: f.foldsCase, steps: f.steps, depth: f.depth}
}

// fits reports whether v fits s as it is.
func (f *fitter) fits(s *schema, v *value) bool {
	b := f.branch(false)
	b.fit(s, v, "")
	return len(b.problems) == 0
}

// giveUp ends the check of the whole call: one place that is too intricate is
// enough.
func (f *fitter) giveUp(at string) {
	*f.steps = -1
	if len(f.problems) == 0 {
		f.problem(at, "cannot be checked, its schema is too intricate")
	}
}

// afford takes the steps for work of a value's size, or reports that they are not
// left.
func (f *fitter) afford(work int) bool {
	if work/workPerStep > *f.steps {
		return false
	}
	*f.steps -= work / workPerStep
	return true
}

// near is what name was probably meant to be, if there are steps left to find it.
func (f *fitter) near(name string, candidates []string) string {
	work := 0
	for _, c := range candidates {
		work += len(c) * len(name)
	}
	if f.afford(work) {
		for _, n := range near(name, candidates, 1) {
			return n
		}
	}
	return ""
}

// fit returns v as it fits s at the place at, or v with the problems noted.
func (f *fitter) fit(s *schema, v *value, at string) *value {
	*f.steps--
	if *f.steps < 0 || f.depth > maxFits {
		f.giveUp(at)
		return v
	}
	f.depth++
	defer func() { f.depth-- }()
	if s.never {
		f.problem(at, "is not allowed")
		return v
	}
	if f.repair {
		v = s.mend(v)
	}
	if !s.takes(typesOf(v)) {
		f.wrongType(s, v, at)
		return v
	}
	if !f.checkEnum(s, v, at) {
		return v
	}
	switch v.kind {
	case number:
		f.checkNumber(s, v, at)
	case text:
		f.checkText(s, v, at)
	case array:
		v = f.fitArray(s, v, at)
	case object:
		v = f.fitObject(s, v, at)
	}
	return f.fitForms(s, v, at)
}

// takes reports whether a value of types t can fit s, as far as its type goes.
// What an enum alone excludes is told as that.
func (s *schema) takes(t types) bool {
	if s.types != 0 && s.types&t == 0 {
		return false
	}
	return s.wanted&t != 0 || s.wanted == 0 || s.enum != nil
}

var typePhrases = []struct {
	t      types
	phrase string
}{
	{typeString, "a string"}, {typeInteger, "a whole number"}, {typeNumber, "a number"}, {typeBoolean, "true or false"},
	{typeArray, "an array"}, {typeObject, "an object"}, {typeNull, "null"},
}

func (f *fitter) wrongType(s *schema, v *value, at string) {
	w := s.wanted
	if w == 0 {
		w = s.types
	}
	if w&typeNumber != 0 {
		w &^= typeInteger
	}
	var phrases []string
	for _, p := range typePhrases {
		if w&p.t != 0 {
			phrases = append(phrases, p.phrase)
		}
	}
	if at == "" {
		at = "the arguments"
		f.problem(at, "are %s, must be %s", v.describe(), strings.Join(phrases, " or "))
		return
	}
	f.problem(at, "is %s, must be %s", v.describe(), strings.Join(phrases, " or "))
}

func (f *fitter) checkEnum(s *schema, v *value, at string) bool {
	*f.steps -= len(s.enum)/8 + s.weight/64
	if s.enum == nil || slices.ContainsFunc(s.enum, v.equal) {
		return true
	}
	if f.full() {
		return false
	}
	var all []string
	for _, e := range s.enum {
		all = append(all, clip(string(e.appendTo(nil)), maxShown))
	}
	if len(all) == 1 {
		f.problem(at, "is %s, must be %s", v.describe(), all[0])
		return false
	}
	did := ""
	if v.kind == text {
		if n := f.near(v.text, textsOf(s.enum)); n != "" {
			did = fmt.Sprintf(" (did you mean %s?)", quote(n))
		}
	}
	f.problem(at, "is %s%s, must be one of %s", v.describe(), did, list(all))
	return false
}

func textsOf(vs []*value) []string {
	var texts []string
	for _, v := range vs {
		if v.kind == text {
			texts = append(texts, v.text)
		}
	}
	return texts
}

func (f *fitter) checkNumber(s *schema, v *value, at string) {
	if n, ok := short(v.text); ok && s.admits(n) {
		return
	}
	r := exact(v.text)
	if r == nil {
		f.problem(at, "is %s, which is no number that a tool takes", v.describe())
		return
	}
	if s.wanted&typeNumber == 0 && s.wanted&typeInteger != 0 && !r.Num().IsInt64() {
		f.problem(at, "is %s, must fit into 64 bits", v.describe())
		return
	}
	if _, err := strconv.ParseFloat(v.text, 64); err != nil {
		f.problem(at, "is %s, which is too large", v.describe())
		return
	}
	switch {
	case s.min != nil && r.Cmp(s.min) < 0:
		f.problem(at, "is %s, must be at least %s", v.describe(), decimal(s.min))
	case s.over != nil && r.Cmp(s.over) <= 0:
		f.problem(at, "is %s, must be more than %s", v.describe(), decimal(s.over))
	case s.max != nil && r.Cmp(s.max) > 0:
		f.problem(at, "is %s, must be at most %s", v.describe(), decimal(s.max))
	case s.under != nil && r.Cmp(s.under) >= 0:
		f.problem(at, "is %s, must be less than %s", v.describe(), decimal(s.under))
	case s.multiple != nil && !quotient(r, s.multiple).IsInt():
		f.problem(at, "is %s, must be a multiple of %s", v.describe(), decimal(s.multiple))
	}
}

// admits reports whether n is within limits that are whole numbers themselves. False
// says only that it has to be looked at more closely.
func (s *schema) admits(n int64) bool {
	if s.multiple != nil {
		return false
	}
	within := func(limit *big.Rat, ok func(limit int64) bool) bool {
		return limit == nil || limit.IsInt() && limit.Num().IsInt64() && ok(limit.Num().Int64())
	}
	return within(s.min, func(l int64) bool { return n >= l }) &&
		within(s.over, func(l int64) bool { return n > l }) &&
		within(s.max, func(l int64) bool { return n <= l }) &&
		within(s.under, func(l int64) bool { return n < l })
}

func (f *fitter) checkText(s *schema, v *value, at string) {
	if s.minLength < 0 && s.maxLength < 0 && s.pattern == nil {
		return
	}
	work := len(v.text) / 8
	if s.pattern != nil {
		work += len(v.text) * s.pattern.size
	}
	if !f.afford(work) {
		f.giveUp(at)
		return
	}
	n := utf8.RuneCountInString(v.text)
	switch {
	case s.minLength >= 0 && n < s.minLength:
		f.problem(at, "has %d characters, must have at least %d", n, s.minLength)
	case s.maxLength >= 0 && n > s.maxLength:
		f.problem(at, "has %d characters, must have at most %d", n, s.maxLength)
	}
	if s.pattern != nil && !s.pattern.MatchString(v.text) {
		f.problem(at, "is %s, must match %s", v.describe(), clip(s.pattern.String(), maxShown))
	}
}

func (f *fitter) fitArray(s *schema, v *value, at string) *value {
	switch n := len(v.items); {
	case s.minItems >= 0 && n < s.minItems:
		f.problem(at, "has %d items, must have at least %d", n, s.minItems)
	case s.maxItems >= 0 && n > s.maxItems:
		f.problem(at, "has %d items, must have at most %d", n, s.maxItems)
	}
	items := f.fitItems(s, v, at)
	if s.unique {
		f.checkUnique(items, at)
	}
	if len(items) == 0 || &items[0] == &v.items[0] {
		return v
	}
	return &value{kind: array, items: items}
}

// fitItems are the items of v as they fit s: v's own slice if nothing changed.
func (f *fitter) fitItems(s *schema, v *value, at string) []*value {
	items := v.items
	for i, item := range v.items {
		of := s.items
		if i < len(s.prefix) {
			of = s.prefix[i]
		}
		if of == nil {
			continue
		}
		fitted := f.fit(of, item, fmt.Sprintf("%s[%d]", at, i))
		if fitted == item {
			continue
		}
		if &items[0] == &v.items[0] {
			items = slices.Clone(items)
		}
		items[i] = fitted
	}
	return items
}

// fitForms fits v to what stands beside s's own keywords.
func (f *fitter) fitForms(s *schema, v *value, at string) *value {
	if s.ref != nil {
		v = f.fit(s.ref, v, at)
	}
	for _, a := range s.allOf {
		v = f.fit(a, v, at)
	}
	if len(s.anyOf) > 0 {
		v = f.fitOne(s.anyOf, false, v, at)
	}
	if len(s.oneOf) > 0 {
		v = f.fitOne(s.oneOf, true, v, at)
	}
	if s.not != nil && f.fits(s.not, v) {
		f.problem(at, "is %s, which is a value that is not allowed", v.describe())
	}
	return v
}

// fitOne fits v to one of several forms: as it is if it can be, else to the first
// that a repair makes it fit. exactly says that it may fit only one.
func (f *fitter) fitOne(forms []*schema, exactly bool, v *value, at string) *value {
	fitting := 0
	for _, s := range forms {
		if f.fits(s, v) {
			fitting++
			if !exactly {
				break
			}
		}
	}
	switch {
	case fitting == 1 || fitting > 1 && !exactly:
		return v
	case fitting > 1:
		f.problem(at, "is %s, which fits %d forms and may fit only one", v.describe(), fitting)
		return v
	}
	var close []*fitter // of the forms that take v's type
	for _, s := range forms {
		b := f.branch(f.repair)
		out := b.fit(s, v, at)
		if len(b.problems) == 0 {
			return out
		}
		if s.wanted&typesOf(v) != 0 {
			close = append(close, b)
		}
	}
	if *f.steps < 0 {
		f.giveUp(at) // whether a form fits is not known
		return v
	}
	if len(close) == 1 {
		for _, p := range close[0].problems {
			if !f.full() {
				f.problems = append(f.problems, p)
			}
		}
		return v
	}
	f.problem(at, "is %s, which fits none of the %d forms that it may have", v.describe(), len(forms))
	return v
}
