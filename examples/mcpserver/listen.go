package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/arcseat/arc"
	"github.com/arcseat/arc/tools/mcptool"
)

// listen serves clients over HTTP until ctx ends.
func (p *program) listen(ctx context.Context, serve server) error {
	token, made, err := p.token()
	if err != nil {
		return err
	}
	ln, err := mcptool.Listen(p.http)
	if err != nil {
		return err
	}
	handler, err := mcptool.NewHandler(serve, &mcptool.HandlerOptions{Token: token, Open: p.conformance, Logger: p.Logger})
	if err != nil {
		ln.Close()
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	s := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.Logger.Handler(), slog.LevelWarn),
	}
	fmt.Fprintf(p.stderr, "mcpserver: http://%s/mcp\n", ln.Addr())
	if made {
		fmt.Fprintf(p.stderr, "mcpserver: the token, which is not shown again: %s\n", token)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	handler.Close()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if s.Shutdown(late) != nil {
		s.Close()
	}
	return err
}

// token is the one that clients show, and whether it was made to be printed.
func (p *program) token() (token string, made bool, err error) {
	switch {
	case p.conformance:
		return "", false, nil
	case p.tokenFile == "":
		return rand.Text(), true, nil
	}
	f, err := os.OpenFile(p.tokenFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		token = rand.Text()
		_, err = fmt.Fprintln(f, token)
		return token, false, errors.Join(err, f.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", false, err
	}
	info, err := os.Stat(p.tokenFile)
	if err != nil {
		return "", false, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", false, &arc.Error{Code: arc.PermissionDenied, Message: "others may read the token's file; take that right away (chmod 600), or name another file."}
	}
	b, err := os.ReadFile(p.tokenFile)
	return strings.TrimSpace(string(b)), false, err
}
