package tools

import (
	"strings"
	"unicode"
)

// meanings are words that people use for the same thing when they look for a
// tool. Two words that are written as one stand for the pair, also with what they
// speak of between them: put it back.
var meanings = [][]string{
	{"undo", "revert", "rollback", "restore", "reverse", "takeback", "bringback", "putback", "goback", "changeback", "unwind"},
	{"history", "log", "past", "earlier", "previous", "journal", "recent", "timeline", "record", "lately"},
	{"change", "edit", "modify", "modification", "write", "alter", "mistake", "changed", "touched"},
	{"pdf", "document", "doc", "paper", "manual", "book", "invoice"},
	{"inspect", "metadata", "outline", "info", "about", "structure", "length", "long", "contents", "chapter", "title", "author", "many"},
	{"output", "stdout", "stderr", "print", "printed", "log", "logs", "console", "said", "wrote"},
	{"job", "background", "process", "task", "running", "daemon", "server", "build"},
	{"status", "state", "check", "progress", "still", "done", "finished", "ended", "alive", "running"},
	{"search", "find", "look", "lookup", "lookfor", "grep", "where", "query", "mention", "occur", "contain"},
	{"read", "open", "view", "see", "text", "extract", "display", "get", "load"},
	{"recovery", "recover", "crash", "crashed", "interrupted", "unfinished", "broken", "corrupt", "conflict", "blocked", "damaged", "consistent"},
	{"web", "internet", "online", "website", "site", "url", "link", "http", "https", "browse", "download", "google"},
	{"remind", "reminder", "later", "alarm", "schedule", "notify", "timer", "tomorrow", "wakeup", "hour"},
	{"wait", "sleep", "pause", "until", "yield", "idle", "stop"},
	{"service", "mcp", "external", "connector", "integration", "plugin"},
	{"rest", "remainder", "continue", "more", "full", "truncated", "cut", "whole", "next", "remaining", "complete"},
	{"fetch", "download", "get", "open", "load", "retrieve", "visit"},
	{"kill", "stop", "terminate", "cancel", "end"},
	{"issue", "bug", "ticket", "defect"},
}

// stopWords say nothing about what is looked for.
const stopWords = " a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my of on or our please show so some something tell that the their them then there these they this to tool up us use want was we were what when which who why will with would you your "

// A vocabulary knows which words mean the same.
type vocabulary map[string][]string // from a stem to its meanings

func newVocabulary() vocabulary {
	v := make(vocabulary)
	for _, group := range meanings {
		meaning := "=" + group[0]
		for _, w := range group {
			v[stem(w)] = append(v[stem(w)], meaning)
		}
	}
	return v
}

type term struct {
	text   string
	weight float64
}

// terms are the stems of s's words, and what they mean.
func (v vocabulary) terms(s string) []term {
	var terms []term
	const apart = 4 // put the old file back
	words := splitWords(s)
	for i, w := range words {
		for _, before := range words[max(0, i-apart):i] {
			for _, m := range v[before+w] {
				terms = append(terms, term{m, weightMeaning})
			}
		}
		if strings.Contains(stopWords, " "+w+" ") {
			continue
		}
		st := stem(w)
		terms = append(terms, term{st, 1})
		for _, m := range v[st] {
			terms = append(terms, term{m, weightMeaning})
		}
	}
	return terms
}

// splitWords are s's words in lower case; readURL is two.
func splitWords(s string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if n := len(word); n > 0 && unicode.IsUpper(r) && unicode.IsLower(word[n-1]) {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// stem takes the commonest endings off an English word, so that reminders finds
// remind. It is crude on purpose: a search over a hundred tools needs no more.
func stem(w string) string {
	switch n := len(w); {
	case n > 5 && strings.HasSuffix(w, "ing"):
		w = undouble(w[:n-3])
	case n > 4 && strings.HasSuffix(w, "ied"), n > 4 && strings.HasSuffix(w, "ies"):
		w = w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "ed"):
		w = undouble(w[:n-2])
	case n > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "sses")):
		w = w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		w = w[:n-1]
	}
	if len(w) > 4 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1] // change, changing
	}
	return w
}

// undouble makes stop of stopp.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
