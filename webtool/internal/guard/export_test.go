package guard

import "context"

// Control is what the system call that connects asks.
func Control(d *Dialer, address string) error {
	return d.control(context.Background(), "tcp", address, nil)
}
