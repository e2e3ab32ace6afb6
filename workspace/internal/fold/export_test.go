package fold

// Narrow makes a Finder look as it does where the processor offers nothing more.
func (f *Finder) Narrow() *Finder {
	f.wide = false
	return f
}
