package webtool

import "encoding/json"

// Results are an array in a provider's answer. What in it is no T is left out, so that
// one odd result does not cost the others.
type results[T any] struct {
	there bool
	all   []T
	odd   int // how many were left out
}

// UnmarshalJSON takes any array, and null for none.
func (r *results[T]) UnmarshalJSON(b []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*r = results[T]{there: raw != nil, all: make([]T, 0, len(raw))}
	for _, one := range raw {
		var v *T
		if json.Unmarshal(one, &v) != nil || v == nil {
			r.odd++
			continue
		}
		r.all = append(r.all, *v)
	}
	return nil
}

// hitsOf makes hits of an answer. One whose results all are odd, or name no URL, is not
// empty but no longer what it was.
func hitsOf[T any](a *api, answer *reply, found results[T], hit func(T) Hit) ([]Hit, error) {
	if !found.there {
		return nil, a.failed(ProviderParseError, "no_results_field", answer.status, nil)
	}
	hits := make([]Hit, 0, len(found.all))
	for _, x := range found.all {
		if h := hit(x); h.URL != "" {
			hits = append(hits, h)
		}
	}
	if len(hits) == 0 && len(found.all)+found.odd > 0 {
		return nil, a.failed(ProviderParseError, "odd_results", answer.status, nil)
	}
	return hits, nil
}
