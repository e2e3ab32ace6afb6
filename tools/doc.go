// Package tools makes tools from typed functions and runs them: it derives
// schemas, repairs and checks arguments, lists, searches, calls and bounds.
package tools
