package fakemodel

// usage is what a reply counts for, in tokens. The input includes what came from
// the provider's cache, the output what was thought.
type usage struct{ input, cached, output, thought int }

const (
	bytesPerToken  = 4
	tokensPerImage = 1000
	cacheFrom      = 1024 // tokens: shorter beginnings are not kept
	cacheStep      = 128  // tokens: the cache holds multiples of these
)

// usage counts a request and its reply. The beginning that the request before it
// had already, of the same conversation, comes from the cache.
func (r *Request) usage(reply Reply) usage {
	n, images := len(r.System), 0
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema) + len(t.Type)
	}
	before := 0
	for i, t := range r.Turns {
		if i == len(r.Turns)-2 {
			before = n/bytesPerToken + images*tokensPerImage
		}
		n += len(t.Text) + callsSize(t.Calls)
		images += t.Images
		for _, res := range t.Results {
			n += len(res.Text)
			images += res.Images
		}
	}
	u := usage{
		input:  n/bytesPerToken + images*tokensPerImage + 1,
		output: (len(reply.Text)+callsSize(reply.Calls))/bytesPerToken + 1,
	}
	if r.thinks {
		u.thought = len(r.thought())/bytesPerToken + 1
		u.output += u.thought
	}
	if r.caches && before >= cacheFrom {
		u.cached = before / cacheStep * cacheStep
	}
	return u
}

func callsSize(calls []ToolCall) (n int) {
	for _, c := range calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}
