package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// mountedPlaces are folders of file systems that root can mount: ext4 of a file,
// tmpfs, and overlayfs over both. One that cannot be mounted here is left out.
func mountedPlaces(t *testing.T) (places []killPlace) {
	at := t.TempDir()
	mount := func(name string, args ...string) string {
		dir := filepath.Join(at, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
			t.Logf("no %s here: %v %s", name, err, out)
			return ""
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return dir
	}
	sub := func(dir, name string) string {
		d := filepath.Join(dir, name)
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		return d
	}
	tmpfs := mount("tmpfs", "-t", "tmpfs", "none")
	if tmpfs != "" {
		places = append(places, killPlace{"on tmpfs", sub(tmpfs, "on")})
	}
	image := filepath.Join(at, "image")
	f, err := os.Create(image)
	if err == nil {
		err = f.Truncate(128 << 20)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", image).CombinedOutput(); err != nil {
		t.Logf("no ext4 here: %v %s", err, out)
		return places
	}
	ext4 := mount("ext4", "-o", "loop", image)
	if ext4 == "" {
		return places
	}
	places = append(places, killPlace{"on ext4", sub(ext4, "on")})
	overlay := mount("overlay", "-t", "overlay", "-o", "lowerdir="+sub(ext4, "lower")+",upperdir="+sub(ext4, "upper")+",workdir="+sub(ext4, "work"), "none")
	if overlay != "" {
		places = append(places, killPlace{"on overlayfs", sub(overlay, "on")})
	}
	return places
}
