package desk

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/examples/internal/trouble"
	"github.com/arcseat/arc/examples/local"
)

const (
	doorFile = "seat.door" // in the state directory
	maxBody  = 16 << 20    // bytes of a request or an answer
)

// address is what stands in the door's file.
type address struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// knock is a request at the door, and answer what comes back.
type (
	knock struct {
		By   string          `json:"by"`
		Args json.RawMessage `json:"args"`
	}
	answer struct {
		Answer json.RawMessage `json:"answer,omitempty"`
		Error  json.RawMessage `json:"error,omitempty"`
	}
)

// A Door lets operators of other processes in while this one owns the store.
type Door struct {
	file   string
	server *http.Server
	served chan struct{}
}

// Open opens the door to the desk of host, which runs turns as serving says. There is none
// where the seats are on a server: nobody owns them, and whoever knows the server's URL works
// there. The Door is closed all the same.
func Open(host *local.Host, serving Serving) (*Door, error) {
	if host.SharesSeats() {
		return &Door{}, nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	desk := at{host.Seats, host.Operator, &serving}
	here := address{"http://" + ln.Addr().String(), rand.Text()}
	d := &Door{file: filepath.Join(host.State, doorFile), served: make(chan struct{})}
	d.server = &http.Server{Handler: handler(desk, here.Key), ReadHeaderTimeout: 10 * time.Second}
	if err := write(d.file, here); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	go func() {
		defer close(d.served)
		_ = d.server.Serve(ln) // Close ends it; there is nobody to tell of anything else
	}()
	return d, nil
}

// write replaces the file, so that nobody reads half of it.
func write(file string, at address) error {
	b, err := json.Marshal(at)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// Close closes the door once those who are in have been answered.
func (d *Door) Close() error {
	if d.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := d.server.Shutdown(ctx)
	if err != nil {
		err = d.server.Close()
	}
	<-d.served
	return errors.Join(err, os.Remove(d.file))
}

func handler(d Desk, key string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{verb}", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+key)) != 1 {
			http.Error(w, "the key is another", http.StatusForbidden)
			return
		}
		var k knock
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&k); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var out answer
		b, err := d.Do(r.Context(), k.By, r.PathValue("verb"), k.Args)
		if out.Answer = b; err != nil {
			out.Answer, out.Error = nil, refusal(err)
		}
		_ = json.NewEncoder(w).Encode(out) // who has gone away hears nothing
	})
	return mux
}

// refusal is err as JSON.
func refusal(err error) json.RawMessage {
	var e *arc.Error
	if !errors.As(err, &e) {
		e = trouble.Of(err)
	}
	b, err := json.Marshal(e)
	if err != nil {
		b = []byte(`{"code":"internal"}`)
	}
	return b
}

// ErrNoDoor says that the process that owns the store lets nobody in.
var ErrNoDoor = errors.New("the process that owns the seats has no door for operators")

// Knock is the desk of the process that owns the store in the state directory. Ask
// while somebody owns it: the address of one that has died may be another's.
func Knock(ctx context.Context, state string) (Visitor, error) {
	b, err := os.ReadFile(filepath.Join(state, doorFile))
	if err != nil {
		return Visitor{}, ErrNoDoor
	}
	var v Visitor
	if err := json.Unmarshal(b, &v.at); err != nil {
		return Visitor{}, ErrNoDoor
	}
	if _, err := v.Do(ctx, "", "hello", None{}); errors.Is(err, ErrNoDoor) {
		return Visitor{}, ErrNoDoor
	}
	return v, nil
}

// A Visitor is a Desk in another process.
type Visitor struct{ at address }

// Do implements Desk.
func (v Visitor) Do(ctx context.Context, by, verb string, args any) (json.RawMessage, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	if b, err = json.Marshal(knock{by, b}); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.at.URL+"/"+verb, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+v.at.Key)
	// A client of its own: nothing is kept open, and no proxy is asked.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, gone(ctx, err)
	}
	defer resp.Body.Close()
	b, err = io.ReadAll(io.LimitReader(resp.Body, maxBody))
	var out answer
	if err == nil && (resp.StatusCode != http.StatusOK || json.Unmarshal(b, &out) != nil) {
		err = fmt.Errorf("the answer is %s: %.200s", resp.Status, b)
	}
	if err != nil {
		return nil, gone(ctx, err)
	}
	if out.Error != nil {
		return nil, refused(out.Error)
	}
	return out.Answer, nil
}

// gone is the error where nobody has answered as the owner of the seats does.
func gone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &arc.Error{
		Code:    arc.Unavailable,
		Message: "the process that owns the seats went away before it answered; look at the status, then do it again.",
		Detail:  map[string]string{"reason": "owner_gone"},
		Err:     errors.Join(ErrNoDoor, err),
	}
}

// refused is the error that was told as JSON.
func refused(b json.RawMessage) error {
	fields := map[string]json.RawMessage{}
	var e struct {
		Code    arc.Code `json:"code"`
		Message string   `json:"message"`
	}
	if err := errors.Join(json.Unmarshal(b, &e), json.Unmarshal(b, &fields)); err != nil {
		return err
	}
	delete(fields, "code")
	delete(fields, "message")
	return &arc.Error{Code: e.Code, Message: e.Message, Detail: fields}
}
