package tools

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/arcseat/arc"
)

// defaultFound is how many tools a search returns if nobody says.
const defaultFound = 5

// Search finds tools by plain words, best first: at most limit (0 or less: 5) of
// those that the turn allows and its first list does not show. It lists nothing;
// the tool_search call of a model does that.
func (s *Session) Search(query string, limit int) []arc.Definition {
	return s.find(s.turn, query, limit)
}

// find is Search in what turn allows, which a recheck may have narrowed.
func (s *Session) find(turn arc.Turn, query string, limit int) []arc.Definition {
	if limit <= 0 {
		limit = defaultFound
	}
	s.indexOnce.Do(func() { s.index = s.set.search.index(s.findable()) })
	var defs []arc.Definition
	for _, e := range s.index.rank(query) {
		if len(defs) < limit && e.def.Check(turn) == nil {
			defs = append(defs, e.def)
		}
	}
	return defs
}

// findable is what the turn offers beyond its first list.
func (s *Session) findable() []*entry {
	var some []*entry
	for _, e := range s.entries {
		if s.offered(e) && !slices.Contains(s.first, e) {
			some = append(some, e)
		}
	}
	return some
}

// An index ranks tools by BM25 over weighted fields. A word also counts, for
// less, where a tool has another word of the same meaning.
type index struct {
	words vocabulary
	tools []indexed
	df    map[string]int // in how many tools a word is
	mean  float64        // weight of a tool's words, on average
}

type indexed struct {
	*entry
	weight map[string]float64
	sum    float64
}

// What a word weighs by where it stands.
const (
	weightName        = 3.0
	weightDescription = 1.5
	weightProperty    = 0.75
	weightDetail      = 0.3
	weightMeaning     = 0.7 // of a word that only means the same
)

func (p searchParts) index(tools []*entry) *index {
	x := &index{words: p.words, df: make(map[string]int)}
	for _, e := range tools {
		t := indexed{entry: e, weight: make(map[string]float64)}
		t.add(p.words, e.def.Name, weightName)
		t.add(p.words, e.def.Description, weightDescription)
		if v, _, err := read(e.def.Schema); err == nil {
			t.addProperties(p.words, v, 0)
		}
		for w := range t.weight {
			x.df[w]++
		}
		x.tools = append(x.tools, t)
		x.mean += t.sum / float64(len(tools))
	}
	return x
}

func (t *indexed) add(words vocabulary, s string, weight float64) {
	for _, w := range words.terms(s) {
		t.weight[w.text] += weight * w.weight
		t.sum += weight * w.weight
	}
}

func (t *indexed) addProperties(words vocabulary, schema *value, depth int) {
	const deep = 3
	props := schema.get("properties")
	if props == nil || depth > deep {
		return
	}
	for _, m := range props.members {
		t.add(words, m.name, weightProperty)
		if d := m.value.get("description"); d != nil {
			t.add(words, d.text, weightDetail)
		}
		t.addProperties(words, m.value, depth+1)
		if items := m.value.get("items"); items != nil {
			t.addProperties(words, items, depth+1)
		}
	}
}

// rank is the tools that share a word or a meaning with query, best first; the
// providers' order decides between equals.
func (x *index) rank(query string) []*entry {
	type hit struct {
		*entry
		score float64
	}
	query = clip(query, maxQuery)
	terms := x.words.terms(query)
	words := splitWords(query)
	var hits []hit
	for _, t := range x.tools {
		score := 0.0
		for _, w := range terms {
			score += w.weight * x.score(t, w.text)
		}
		if calls(words, strings.Join(splitWords(t.def.Name), "")) {
			score += 100 // it was called by its name
		}
		if score > 0 {
			hits = append(hits, hit{t.entry, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	ranked := make([]*entry, len(hits))
	for i, h := range hits {
		ranked[i] = h.entry
	}
	return ranked
}

// calls reports whether name is some of the words, one after the other: shell_job,
// shell job and shellJob call the same tool, and an edition does not call edit.
func calls(words []string, name string) bool {
	for i := range words {
		rest := name
		for _, w := range words[i:] {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, w); !ok {
				break
			}
			if rest == "" {
				return true
			}
		}
	}
	return false
}

// maxQuery is how many bytes of a query are read.
const maxQuery = 500

// score is BM25 of one word. A word that is there only as the beginning of
// another counts half: of the one that weighs most there.
func (x *index) score(t indexed, word string) float64 {
	const k1, b, minPrefix = 1.2, 0.4, 4
	tf, part := t.weight[word], 1.0
	if tf == 0 && len(word) >= minPrefix {
		part = 0.5
		beginning := word
		for w, weight := range t.weight {
			if strings.HasPrefix(w, beginning) && (weight > tf || weight == tf && w < word) {
				tf, word = weight, w
			}
		}
	}
	if tf == 0 {
		return 0
	}
	n, df := float64(len(x.tools)), float64(x.df[word])
	idf := math.Log(1 + (n-df+0.5)/(df+0.5))
	return part * idf * tf * (k1 + 1) / (tf + k1*(1-b+b*t.sum/x.mean))
}
