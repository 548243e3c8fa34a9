// Bare is the least that a Go program can be: what starting one costs.
package main

func main() {}
