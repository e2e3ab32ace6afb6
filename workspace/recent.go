package workspace

// A recent holds what was put into it last, up to a number of keys: each key more takes
// the place of the one that came first. It serves one goroutine at a time.
type recent[K comparable, V any] struct {
	most  int
	kept  map[K]V
	order []K // a ring: next is the oldest once it is full
	next  int
}

func newRecent[K comparable, V any](most int) recent[K, V] {
	return recent[K, V]{most: most, kept: map[K]V{}}
}

func (r *recent[K, V]) put(key K, value V) {
	if _, ok := r.kept[key]; !ok {
		if len(r.order) < r.most {
			r.order = append(r.order, key)
		} else {
			delete(r.kept, r.order[r.next])
			r.order[r.next] = key
			r.next = (r.next + 1) % r.most
		}
	}
	r.kept[key] = value
}
