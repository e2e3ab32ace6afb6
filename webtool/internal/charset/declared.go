package charset

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// xml is the charset that the XML declaration at the start of body names, empty if
// there is none. UTF-16 is what it cannot be, since its bytes were just read.
func xml(body []byte) string {
	head := bytes.TrimLeft(body[:min(len(body), 1024)], " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	end := bytes.Index(head, []byte("?>"))
	if end < 0 {
		return ""
	}
	_, rest, ok := strings.Cut(string(head[:end]), "encoding")
	rest = strings.TrimLeft(rest, " \t\r\n")
	if !ok || !strings.HasPrefix(rest, "=") {
		return ""
	}
	rest = strings.TrimLeft(rest[1:], " \t\r\n")
	if len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	label, _, ok := strings.Cut(rest[1:], rest[:1])
	if !ok {
		return ""
	}
	return inMarkup(label)
}

// meta is the charset of the first <meta> that names one, outside comments, scripts
// and styles, within the bytes that are scanned.
func meta(body []byte) string {
	head := body[:min(len(body), scanned)]
	endless := map[string]bool{} // ends that do not come: each is looked for once
	skip := func(tag []byte, from int, end string) int {
		if endless[end] {
			return from
		}
		n := past(tag, from, end)
		endless[end] = n == from
		return n
	}
	for at := 0; ; {
		i := bytes.IndexByte(head[at:], '<')
		if i < 0 {
			return ""
		}
		at += i
		tag := head[at:]
		switch {
		case bytes.HasPrefix(tag, []byte("<!--")):
			at += skip(tag, 4, "-->")
		case opens(tag, "<script"):
			at += skip(tag, 7, "</script")
		case opens(tag, "<style"):
			at += skip(tag, 6, "</style")
		case opens(tag, "<meta"):
			name, size := inTag(tag)
			if name != "" {
				return name
			}
			at += size
		default:
			at++
		}
	}
}

// opens reports whether tag starts with the tag of the given name, in any case.
func opens(tag []byte, name string) bool {
	return len(tag) > len(name) && strings.EqualFold(string(tag[:len(name)]), name) &&
		strings.IndexByte(" \t\r\n\f/>", tag[len(name)]) >= 0
}

// past is the length of tag up to and including end, looked for from from, in any
// case; of from alone where there is no end.
func past(tag []byte, from int, end string) int {
	for i := from; i < len(tag); {
		j := bytes.IndexByte(tag[i:], end[0])
		if j < 0 {
			break
		}
		i += j
		if len(tag)-i >= len(end) && strings.EqualFold(string(tag[i:i+len(end)]), end) {
			return i + len(end)
		}
		i++
	}
	return from
}

// inTag is the charset that the <meta> at the start of tag names, and the size of the
// <meta>.
func inTag(tag []byte) (name string, size int) {
	tag = tag[:min(len(tag), 4096)]
	z := html.NewTokenizer(bytes.NewReader(tag))
	if tt := z.Next(); tt != html.StartTagToken && tt != html.SelfClosingTagToken {
		return "", len(tag)
	}
	size = len(z.Raw())
	var charset, content string
	var equiv bool
	for more := true; more; {
		var k, v []byte
		k, v, more = z.TagAttr()
		switch string(k) {
		case "charset":
			charset = string(v)
		case "content":
			content = string(v)
		case "http-equiv":
			equiv = strings.EqualFold(string(v), "content-type")
		}
	}
	if name = inMarkup(charset); name == "" && equiv {
		name = inContent(content)
	}
	return name, size
}

// inContent is the charset in a content type that a <meta> states.
func inContent(content string) string {
	i := strings.Index(strings.ToLower(content), "charset")
	if i < 0 {
		return ""
	}
	rest := strings.TrimLeft(content[i+len("charset"):], " \t\r\n")
	if !strings.HasPrefix(rest, "=") {
		return ""
	}
	rest = strings.TrimLeft(rest[1:], " \t\r\n\"'")
	if end := strings.IndexAny(rest, "; \t\r\n\"'"); end >= 0 {
		rest = rest[:end]
	}
	return inMarkup(rest)
}

// inMarkup is what a label means that was itself read as ASCII: it cannot be UTF-16.
func inMarkup(label string) string {
	name := known(label)
	switch name {
	case "utf-16le", "utf-16be":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return name
}
