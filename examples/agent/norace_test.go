//go:build !race

package main

const logSize = 5 << 20
