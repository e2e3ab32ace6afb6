package workspace

type snapshots struct{}

func newSnapshots() *snapshots { return &snapshots{} }
