package proc

func (w *Watch) start() error { return nil }
