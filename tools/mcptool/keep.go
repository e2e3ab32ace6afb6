package mcptool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/internal/retain"
)

// A keeper holds the whole of what was too long to be shown: outputs of calls on disk,
// each for the seat that made the call, and schemas in memory, for whoever is granted
// the service.
type keeper struct {
	store *retain.Store

	mu      sync.Mutex
	turns   map[arc.SeatID]arc.TurnID // the last turn that called a service
	schemas map[string]map[string]*schemaText
	count   int // of schemas that were ever kept, for their order
}

// A schemaText is a tool's schema as the service wrote it.
type schemaText struct {
	text   string
	sha256 string
	order  int
	listed bool // by the service's list of now
}

// about is what the store keeps of an output beside its bytes.
type about struct {
	Service string `json:"service"`
	Tool    string `json:"tool"`
	SHA256  string `json:"sha256"`
}

const (
	outputPrefix = "out_"
	schemaPrefix = "schema_"
)

// maxOldSchemas are the bytes of a service's schemas that are kept although it lists them
// no more.
const maxOldSchemas = 4 << 20

func openKeeper(dir string, o *Options) (*keeper, error) {
	k := &keeper{turns: map[arc.SeatID]arc.TurnID{}, schemas: map[string]map[string]*schemaText{}}
	var err error
	k.store, err = retain.Open(dir, &retain.Options{Bytes: o.KeepBytes, Age: o.KeepFor, Keep: k.ofRunningTurn})
	return k, err
}

// ofRunningTurn reports whether an output is of the turn that its seat is in, as far as
// its calls of services tell. The store asks with its own lock held.
func (k *keeper) ofRunningTurn(e *retain.Entry) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return e.Origin.Turn != "" && k.turns[e.Origin.Seat] == e.Origin.Turn
}

// calls remembers the turn that a seat is in.
func (k *keeper) calls(o arc.Origin) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turns[o.Seat] = o.Turn
}

var errNoRoom = errors.New("there is no room for it")

// output keeps a text whole.
func (k *keeper) output(o arc.Origin, service, tool, text string) (id string, err error) {
	e, f, err := k.store.Create(outputPrefix, o, about{service, tool, hashOf(text)})
	if err != nil {
		return "", err
	}
	defer f.Close()
	if !k.store.Grow(e.ID, int64(len(text))) {
		err = errNoRoom
	} else if _, err = f.WriteString(text); err == nil {
		err = k.store.Update(e.ID, about{service, tool, hashOf(text)}, true)
	}
	if err != nil {
		k.store.Remove(e.ID)
		return "", err
	}
	return e.ID, nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// schemaID names a schema by what it says, so that a reference outlives the host.
func schemaID(text string) string { return schemaPrefix + hashOf(text)[:16] }

// list keeps the schemas that a service lists now, and of those before as many as there
// is room for.
func (k *keeper) list(service string, texts []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := k.schemas[service]
	if kept == nil {
		kept = map[string]*schemaText{}
		k.schemas[service] = kept
	}
	for _, s := range kept {
		s.listed = false
	}
	for _, text := range texts {
		k.count++
		kept[schemaID(text)] = &schemaText{text: text, sha256: hashOf(text), order: k.count, listed: true}
	}
	for {
		old, size := "", 0
		for id, s := range kept {
			if s.listed {
				continue
			}
			size += len(s.text)
			if old == "" || s.order < kept[old].order {
				old = id
			}
		}
		if size <= maxOldSchemas {
			return
		}
		delete(kept, old)
	}
}

func (k *keeper) schema(service, id string) (*schemaText, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.schemas[service][id]
	return s, ok
}

// find finds an output of a seat's own. Its codes are not_found and expired.
func (k *keeper) find(seat arc.SeatID, service, id string) (*retain.Entry, about, error) {
	e, err := k.store.Get(id)
	var a about
	if err == nil {
		err = json.Unmarshal(e.Data, &a)
	}
	switch {
	case err != nil || e.Origin.Seat != seat || a.Service != service || e.Ended.IsZero():
		return nil, a, &arc.Error{
			Code:    arc.NotFound,
			Message: "there is no such output; take service_id and output_id from a result of yours, or from a tool's description.",
			Detail:  notFound{Kind: "output", Recent: k.recent(seat, service)},
		}
	case e.Dropped:
		return nil, a, expired(id)
	}
	return e, a, nil
}

type notFound struct {
	Kind   string   `json:"kind"`
	Recent []string `json:"recent,omitempty"`
}

func expired(id string) error {
	return &arc.Error{
		Code:    arc.Expired,
		Message: "that output has been dropped to make room; call the tool again if you need it.",
		Detail: struct {
			Kind     string `json:"kind"`
			OutputID string `json:"output_id"`
		}{"output", id},
	}
}

// recent are the last outputs of a service that a seat can still page.
func (k *keeper) recent(seat arc.SeatID, service string) []string {
	var ids []string
	for _, e := range k.store.All() {
		var a about
		if e.Origin.Seat == seat && !e.Dropped && !e.Ended.IsZero() && json.Unmarshal(e.Data, &a) == nil && a.Service == service {
			ids = append(ids, e.ID)
		}
	}
	return ids[max(0, len(ids)-5):]
}
