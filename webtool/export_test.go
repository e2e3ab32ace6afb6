package webtool

// HoldConverting takes every slot for making text of pages, until release is called.
func (w *Web) HoldConverting() (release func()) {
	for range cap(w.converter.slots) {
		w.converter.slots <- struct{}{}
	}
	return func() {
		for range cap(w.converter.slots) {
			<-w.converter.slots
		}
	}
}
