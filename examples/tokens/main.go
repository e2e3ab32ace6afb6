// Command tokens counts what each tool's definition costs a model: the o200k
// tokens of its name, description and schema. It reads the JSON arrays that
// examples/call -list prints, counts each tool once, and writes a line a tool: name, a hash of what was
// counted, tokens. The hash lets a test see that a definition has changed since,
// without the tokenizer, which is why this program is a module of its own.
//
//	make tokens
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	definitions, err := read(in)
	if err != nil {
		return err
	}
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	for _, d := range definitions {
		var schema bytes.Buffer
		if err := json.Compact(&schema, d.Schema); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		tokens, h := 0, sha256.New()
		for _, s := range []string{d.Name, d.Description, schema.String()} {
			n, err := o200k.Count(s)
			if err != nil {
				return err
			}
			tokens += n
			fmt.Fprintf(h, "%s\n", s)
		}
		fmt.Fprintf(out, "%s\t%x\t%d\n", d.Name, h.Sum(nil)[:8], tokens)
	}
	return nil
}

// A definition is what a model is told of a tool.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// read reads lists to the end, and leaves out what was in an earlier one, and the tools
// of services, whose words are not ours.
func read(in io.Reader) ([]definition, error) {
	var all []definition
	seen := map[string]bool{}
	for dec := json.NewDecoder(in); ; {
		var list []definition
		if err := dec.Decode(&list); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		for _, d := range list {
			if !seen[d.Name] && !strings.Contains(d.Name, "__") {
				all = append(all, d)
			}
			seen[d.Name] = true
		}
	}
}
