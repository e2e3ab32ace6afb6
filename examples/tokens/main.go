// Command tokens counts what each tool's definition costs a model: the o200k
// tokens of its name, description and schema. It reads the JSON array that
// examples/call -list prints and writes a line a tool: name, a hash of what was
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

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var definitions []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
	}
	if err := json.NewDecoder(in).Decode(&definitions); err != nil {
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
