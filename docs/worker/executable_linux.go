package worker

// executable is this program's own file, also where it has been replaced or
// removed since.
func executable() (string, error) { return "/proc/self/exe", nil }
