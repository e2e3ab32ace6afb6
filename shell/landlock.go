package shell

// LandlockOptions say what commands may do beside reading, and writing to the project.
// The zero value is a good start.
type LandlockOptions struct {
	// Write are further directories and files that commands may write to: the caches
	// of their toolchains, or /dev/shm. A missing one is made, as a directory. What an
	// unconfined program uses as well, as the user's own build cache, is better left
	// out: a command could plant something there. Default: none.
	Write []string

	// Read are what commands may read and run beside what they may write to. It has to
	// name the shell, and the libraries of all programs. Default: everything.
	Read []string

	// Network lets commands connect by TCP, and listen. Default: they may do neither,
	// not even with each other.
	Network bool

	// TempDir is the directory in which the commands' private one is made, which they have
	// as TMPDIR. Default: os.TempDir().
	TempDir string

	// Shell is as HostRunner.Shell.
	Shell string

	// ABI is the least version of Landlock's interface that will do; what a kernel of
	// that version does not refuse is told by Lacks. Default: 6, of Linux 6.12.
	ABI int
}

// landlockSince says what is missing before a version of the interface.
var landlockSince = []struct {
	abi  int
	lack string
}{
	{2, "files cannot be moved from one directory to another, not even in the project"},
	{3, "files outside may be emptied, though not written to"},
	{4, "TCP is open"},
	{5, "devices take control calls"},
	{6, "signals reach processes outside, and Unix sockets without a path are open"},
}

// landlockNever is what no version refuses that is asked for here.
var landlockNever = []string{
	"protocols beside TCP are open: UDP, and Multipath TCP, which any server of TCP answers",
	"Unix sockets that have a path are open, as that of Docker",
	"memory, processor time and disk are without limit",
}

// landlockLacks is what is not as one might expect of a sandbox.
func landlockLacks(abi int, o LandlockOptions) []string {
	var lacks []string
	for _, r := range landlockSince {
		if abi < r.abi || r.abi == 4 && o.Network {
			lacks = append(lacks, r.lack)
		}
	}
	lacks = append(lacks, landlockNever...)
	if o.Read == nil {
		lacks = append(lacks, "everything may be read that the host's user may read")
	}
	return lacks
}
