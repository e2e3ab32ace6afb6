package mcptool

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/arcseat/arc"
)

const minToken = 16 // bytes

// A guard lets in who has the token and comes from this machine.
type guard struct {
	open  bool
	token [sha256.Size]byte
}

func newGuard(token string, open bool) (guard, error) {
	if !open && len(token) < minToken {
		return guard{}, &arc.Error{
			Code:    arc.InvalidArguments,
			Message: fmt.Sprintf("a token of at least %d bytes is needed; make one that nobody can guess.", minToken),
			Detail:  map[string]string{"reason": "token"},
		}
	}
	return guard{open, sha256.Sum256([]byte(token))}, nil
}

// admits reports whether r may come in, and answers it if not.
func (g guard) admits(w http.ResponseWriter, r *http.Request) bool {
	// A page's name may be made to resolve to loopback, and then the browser takes us
	// for the page's own server; the name in the request is still the page's.
	if !here(r.Host) {
		http.Error(w, "this server is for this machine; ask for it by a loopback name", http.StatusForbidden)
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" && !ofHere(origin) {
		http.Error(w, "pages of other machines are not served", http.StatusForbidden)
		return false
	}
	if g.open {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	// Hashes are as long as each other, so that the time tells nothing of the token.
	sent := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sent[:], g.token[:]) != 1 {
		w.Header().Set("WWW-Authenticate", `Bearer realm="arc"`)
		http.Error(w, "show the server's token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
		return false
	}
	return true
}

// ofHere reports whether an origin is a page of this machine.
func ofHere(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && here(u.Host)
}

// here reports whether a host, with or without a port, is a name of loopback.
func here(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

// Listen listens for a Handler's server on an address of loopback, HOST:PORT or :PORT,
// where port 0 is any that is free. Codes: invalid_arguments for an address of another
// kind, io_error where the system refuses.
func Listen(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if host == "" {
		host = "127.0.0.1"
	}
	if err != nil || !here(host) {
		return nil, &arc.Error{
			Code:    arc.InvalidArguments,
			Message: fmt.Sprintf("%q is no address of loopback; name one like 127.0.0.1:8080, and let others in through a tunnel of yours.", addr),
			Detail:  map[string]string{"reason": "address"},
		}
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1" // whatever else the machine's own files make of the name
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, &arc.Error{Code: arc.IOError, Message: fmt.Sprintf("the address %s cannot be listened on; name another port, or 0 for any.", addr), Err: err}
	}
	return ln, nil
}
