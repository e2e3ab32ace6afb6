package webtool

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/arcseat/arc"
)

// A body is what a server sent, decompressed.
type body struct {
	data  []byte
	media string // the Content-Type header; empty: unknown
	size  int64  // of the whole, if known; -1: it is not
	cut   bool   // data is the start of it
	short bool   // and that is because the connection ended early
}

// readBody reads at most limit bytes. A body that ends before its announced length is
// kept as far as it came; one that did not end in time comes with the error.
func readBody(res *http.Response, limit int64) (*body, error) {
	src, size := decoded(res)
	if src == nil {
		return nil, &arc.Error{
			Code:    DecodeError,
			Message: "the server compressed its answer in a way that was not asked for; use another source.",
			Detail:  &FetchFailure{Reason: "content_encoding"},
		}
	}
	b := &body{media: res.Header.Get("Content-Type"), size: size}
	data, err := io.ReadAll(io.LimitReader(src, limit+1))
	if int64(len(data)) > limit {
		b.data, b.cut = data[:limit], true
		return b, nil
	}
	b.data = data
	var corrupt flate.CorruptInputError
	switch {
	case err == nil:
		b.size = int64(len(data))
		return b, nil
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return nil, &arc.Error{
			Code:    DecodeError,
			Message: "the server's compressed answer is damaged; try once more, or use another source.",
			Detail:  &FetchFailure{Reason: "gzip", Retryable: true},
			Err:     err,
		}
	case res.Request.Context().Err() != nil, isTimeout(err), len(data) == 0:
		b.cut = true
		return b, err
	}
	b.cut, b.short = true, true
	return b, nil
}

// decoded is what reads the body, taken out of gzip, and how long that is, -1 if nobody
// knows. It is nil where the body is compressed in another way.
func decoded(res *http.Response) (r io.Reader, size int64) {
	switch coding := strings.ToLower(strings.TrimSpace(strings.Join(res.Header.Values("Content-Encoding"), ","))); {
	case coding == "gzip" || coding == "x-gzip":
		return newGunzip(res.Body), -1
	case compressed(res.Header):
		return nil, 0
	}
	return res.Body, res.ContentLength
}

// compressed reports whether a header names a way of compressing. What else servers
// write there (utf-8, none, aws-chunked) changes nothing about a body.
func compressed(h http.Header) bool {
	for _, line := range h.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(strings.ToLower(line), ",") {
			switch strings.TrimSpace(coding) {
			case "gzip", "x-gzip", "compress", "x-compress", "deflate", "br", "zstd", "dcb", "dcz", "exi", "pack200-gzip":
				return true
			}
		}
	}
	return false
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// unpack takes text that is gzip'ed out of its wrapping, one level and at most limit bytes
// of it: a file, such as a sitemap, or a page whose server forgot to say so. What is no
// text inside is left as it is.
func (b *body) unpack(u *url.URL, limit int64) {
	media, packed := inside(b.media, u)
	if !isGzip(b.data) || !packed {
		return
	}
	inner, err := io.ReadAll(io.LimitReader(newGunzip(bytes.NewReader(b.data)), limit+1))
	cut := b.cut || err != nil
	if int64(len(inner)) > limit {
		inner, cut = inner[:limit], true
	}
	if len(inner) == 0 || bytes.IndexByte(inner[:min(len(inner), 8<<10)], 0) >= 0 {
		return
	}
	b.data, b.cut, b.media, b.size = inner, cut, media, int64(len(inner))
}

// inside is the media type, empty if unknown, of what a body of that type holds if its
// bytes are gzip's, and whether it may be text.
func inside(media string, u *url.URL) (string, bool) {
	m, _, err := mime.ParseMediaType(media)
	switch m {
	case "application/gzip", "application/x-gzip", "application/octet-stream", "binary/octet-stream":
		return "", true
	case "application/json", "application/xml", "application/xhtml+xml":
		return media, true
	}
	if strings.HasPrefix(m, "text/") {
		return media, true
	}
	return "", err != nil || strings.HasSuffix(u.Path, ".gz")
}
