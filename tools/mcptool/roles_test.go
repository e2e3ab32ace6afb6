package mcptool_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/arcseat/arc/tools/mcptool"
)

// A script is a service that speaks the protocol by hand: what a role does with a call of
// one of its tools, or with any request.
type script struct {
	tools string                                                    // of tools/list, as JSON
	call  func(id json.RawMessage, args []byte)                     // a call of any tool
	any   func(method string, id json.RawMessage, line []byte) bool // before all else; true: it is done
}

// play plays a role until standard input ends.
func play(role string) {
	if role == "host" { // of a service that does not end, and is killed
		s, _ := mcptool.Open(&mcptool.Options{State: os.Getenv("ARC_TEST_STATE")})
		one := child("stubborn")
		one.Env = append(one.Env, "ARC_TEST_MARK")
		fmt.Println(s.Connect(context.Background(), one))
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	if role == "good" {
		_ = peer().Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	s := roles(role)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil || s.any != nil && s.any(m.Method, m.ID, line) {
			continue
		}
		switch m.Method {
		case "server/discover":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", m.ID)
		case "initialize":
			answer(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"role","version":"1"}}`)
		case "tools/list":
			answer(m.ID, `{"tools":[`+s.tools+`]}`)
		case "tools/call":
			s.call(m.ID, m.Params)
		}
	}
}

func answer(id json.RawMessage, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

func say(id json.RawMessage, text string) {
	answer(id, `{"content":[{"type":"text","text":"`+text+`"}]}`)
}

const doTool = `{"name":"do","inputSchema":{"type":"object"}}`

// flood writes text to standard output until nobody reads it.
func flood(text string) {
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		if _, err := w.WriteString(text); err != nil {
			os.Exit(1)
		}
	}
}

func roles(role string) script {
	name, arg, _ := strings.Cut(role, " ")
	switch name {
	case "endless-notices":
		return script{tools: doTool, call: func(json.RawMessage, []byte) {
			flood(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("a", 60000) + `"}}` + "\n")
		}}
	case "endless-line":
		return script{tools: doTool, call: func(json.RawMessage, []byte) { flood(strings.Repeat("a", 1<<16)) }}
	case "endless-questions":
		return script{tools: doTool, call: func(json.RawMessage, []byte) {
			for i := 0; ; i++ {
				fmt.Printf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object"}}}`+"\n", i)
			}
		}}
	case "endless-stderr":
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			line := strings.Repeat("e", 1000) + "\n"
			for range 20000 {
				os.Stderr.WriteString(line)
			}
			say(id, "done")
		}}
	case "long-line": // 100 MB, its id at the end
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			if n++; n > 1 {
				say(id, "short")
				return
			}
			w := bufio.NewWriterSize(os.Stdout, 1<<20)
			w.WriteString(`{"result":{"content":[{"type":"text","text":"`)
			for range 100 {
				w.WriteString(strings.Repeat("a", 1_000_000))
			}
			fmt.Fprintf(w, `"}]},"jsonrpc":"2.0","id":%s}`+"\n", id)
			w.Flush()
		}}
	case "bad-json":
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			fmt.Println("Server started on port 3000\n{\"jsonrpc\":\"2.0\",\n[1,2\n\x00\xff\n{}\nnull\n[]")
			say(id, "after all")
		}}
	case "wrong-ids":
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			for _, wrong := range []string{`99999`, `"` + string(id) + `"`, `-1`, `1.5`, `null`, `{}`} {
				say(json.RawMessage(wrong), "forged")
			}
			if arg == "only" {
				return
			}
			say(id, "true")
			say(id, "twice")
		}}
	case "list":
		return script{tools: arg, call: func(id json.RawMessage, _ []byte) { say(id, "done") }}
	case "file": // a list that is too long for an environment
		b, _ := os.ReadFile(arg)
		return script{tools: string(b), call: func(id json.RawMessage, params []byte) {
			quoted, _ := json.Marshal(string(params))
			say(id, strings.Trim(string(quoted), `"`))
		}}
	case "endless-list":
		return script{any: func(method string, id json.RawMessage, _ []byte) bool {
			if method == "tools/list" {
				n++
				cursor := "again"
				if arg == "new" {
					cursor = fmt.Sprint(n)
				}
				answer(id, fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"%s"}`, n, cursor))
			}
			return method == "tools/list"
		}}
	case "refuses": // with a code
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"slow down"}}`+"\n", id, arg)
		}}
	case "silent":
		return script{any: func(string, json.RawMessage, []byte) bool { return true }}
	case "silent-call":
		return script{tools: doTool, call: func(json.RawMessage, []byte) {}}
	case "deaf": // it stops to read
		return script{tools: doTool, call: func(json.RawMessage, []byte) { time.Sleep(time.Hour) }}
	case "legacy": // as services that end at a first message that is not initialize
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) { say(id, "old") }, any: func(method string, _ json.RawMessage, _ []byte) bool {
			if method == "server/discover" {
				os.Exit(3)
			}
			return false
		}}
	case "asks": // as services did before questions were part of a result
		var call json.RawMessage
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			call = id
			fmt.Println(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object"}}}`)
		}, any: func(method string, _ json.RawMessage, line []byte) bool {
			if method != "" {
				return false
			}
			var m struct{ Result struct{ Action string } }
			json.Unmarshal(line, &m)
			say(call, m.Result.Action)
			return true
		}}
	case "dies": // in each call, after it has said why
		return script{tools: doTool, call: func(json.RawMessage, []byte) {
			os.Stderr.WriteString("out of luck\n")
			os.Exit(7)
		}}
	case "dies-once": // where the file is not there yet
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			if _, err := os.Stat(arg); err != nil {
				os.WriteFile(arg, nil, 0o600)
				os.Exit(7)
			}
			say(id, "alive")
		}}
	case "forks": // and dies, while the other holds all that it had
		return script{tools: doTool, call: func(json.RawMessage, []byte) {
			c := exec.Command("sleep", "3600")
			c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
			c.Start()
			os.Exit(0)
		}}
	case "stubborn": // it ends neither with its input nor when it is asked to
		ignoreTerm()
		return script{tools: doTool, call: func(json.RawMessage, []byte) {
			for {
				time.Sleep(time.Hour)
			}
		}}
	case "leaves": // a process in a session of its own
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			exec.Command("setsid", "sleep", "3600").Start()
			say(id, "left")
		}}
	case "deep":
		return script{tools: doTool, call: func(id json.RawMessage, _ []byte) {
			deep := strings.Repeat(`[`, 1_000_000)
			answer(id, `{"content":[],"structuredContent":`+deep+strings.Repeat(`]`, 1_000_000)+`}`)
		}}
	}
	panic("no such role: " + role)
}

var n int // how often a role has been called

// peer is a service that behaves.
func peer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	add := func(name, schema string, do func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Test " + name, InputSchema: json.RawMessage(schema)}, do)
	}
	say := func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
	add("echo", `{"type":"object","properties":{"text":{"type":"string","description":"What"},"times":{"type":"integer","description":"How often"}},"required":["text"]}`,
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return say(string(r.Params.Arguments))
		})
	add("big", `{"type":"object","properties":{"bytes":{"type":"integer","description":"How many"}}}`,
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a struct{ Bytes int }
			if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
				return nil, err
			}
			return say(long(a.Bytes))
		})
	add("fails", `{"type":"object"}`, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := say("no disk")
		r.IsError = true
		return r, err
	})
	add("refuses", `{"type":"object"}`, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("not today")
	})
	add("slow", `{"type":"object"}`, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "step\x1b[31m",
			})
		}
		select {
		case <-ctx.Done():
			os.WriteFile(os.Getenv("ARC_TEST_CANCELED"), nil, 0o600)
			return nil, ctx.Err()
		case <-time.After(time.Hour):
			return say("late")
		}
	})
	add("picture", `{"type":"object"}`, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var b bytes.Buffer
		png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)))
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "a picture:"},
			&mcp.ImageContent{MIMEType: "image/png", Data: b.Bytes()},
			&mcp.ImageContent{MIMEType: "image/png", Data: []byte("no picture")},
			&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte("RIFF")},
			&mcp.ResourceLink{URI: "file:///x", Name: "x"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///y", Text: "why"}},
		}}, nil
	})
	structured := func(name, body string, texts ...string) {
		add(name, `{"type":"object"}`, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r := &mcp.CallToolResult{StructuredContent: json.RawMessage(body), Content: []mcp.Content{}}
			for _, t := range texts {
				r.Content = append(r.Content, &mcp.TextContent{Text: t})
			}
			return r, nil
		})
	}
	structured("data", `{"z":9007199254740993,"a":1}`)
	structured("data-twice", `{"z":9007199254740993,"a":1}`, `{ "a": 1, "z": 9007199254740993 }`)
	structured("text-twice", `{"content":"plain"}`, `plain`)
	structured("both", `{"n":1}`, `one`)
	add("ask", `{"type":"object"}`, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got, ok := r.Params.InputResponses["name"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"name": &mcp.ElicitParams{
				Message: "Your name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`),
			}}}, nil
		}
		return say(fmt.Sprint(got.Action, " ", got.Content["name"]))
	})
	add("grow", `{"type":"object"}`, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.RemoveTools("fails")
		add("new", `{"type":"object"}`, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return say("new") })
		return say("grown")
	})
	add("environment", `{"type":"object"}`, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say(strings.Join(os.Environ(), "\n"))
	})
	return s
}

// long is a text of n bytes, of characters of one to four.
func long(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n-30; i++ {
		fmt.Fprintf(&b, "%d é漢🙂\n", i)
	}
	return b.String() + strings.Repeat(".", max(0, n-b.Len()))
}
