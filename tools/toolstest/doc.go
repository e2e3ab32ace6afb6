// Package toolstest checks that tools keep the rules of arc.
package toolstest
