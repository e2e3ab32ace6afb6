package workspace

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// An image is a file's content before a change, kept so that the change can be
// undone: deflated, in the record if it is small, else in a blob.
const (
	imageInline = "inline"
	imageBlob   = "blob"

	inlineImage = 48 << 10 // bytes of deflated content in a record: 64 KiB of text
	maybeInline = 1 << 20  // bytes of content that is tried

	keptFolder = "kept"
)

// image is content as it stands in a record, or imageBlob. What was deflated for
// nothing comes back for the blob.
func (j *journal) image(content []byte) (image string, packed []byte) {
	if len(content) > maybeInline {
		return imageBlob, nil
	}
	packed = j.deflate(content)
	if len(packed) > inlineImage {
		return imageBlob, packed
	}
	return imageInline + ":" + base64.StdEncoding.EncodeToString(packed), nil
}

// deflate uses one writer again and again: a new one clears most of a megabyte.
func (j *journal) deflate(content []byte) []byte {
	var buf bytes.Buffer
	if j.deflater == nil {
		j.deflater, _ = flate.NewWriter(&buf, flate.BestSpeed) // the level is valid
	} else {
		j.deflater.Reset(&buf)
	}
	j.deflater.Write(content) // a bytes.Buffer takes everything
	j.deflater.Close()
	return buf.Bytes()
}

func blobFolder(h SHA256) string { return string(h[:2]) }
func blobName(h SHA256) string   { return string(h) + ".z" }

// putBlob keeps content, deflated, durably under its hash and returns the bytes that
// it newly takes.
func (j *journal) putBlob(h SHA256, packed []byte) (taken int64, err error) {
	blobs, err := j.dir.openDir("blobs")
	if err != nil {
		return 0, err
	}
	defer blobs.Close()
	// What is there already, a process may have made that died before it was durable.
	if err := blobs.mkdir(blobFolder(h), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return 0, err
	}
	if !j.durableFolders[blobFolder(h)] {
		if err := blobs.sync(); err != nil {
			return 0, err
		}
		j.durableFolders[blobFolder(h)] = true
	}
	d, err := blobs.openDir(blobFolder(h))
	if err != nil {
		return 0, err
	}
	defer d.Close()
	if _, err := d.lstat(blobName(h)); err == nil {
		return 0, d.sync()
	}
	if err := replaceFile(d, blobName(h), bytes.NewReader(packed)); err != nil {
		return 0, err
	}
	return int64(len(packed)), nil
}

var errImage = errors.New("the content that was kept is not what its hash says")

// before reads the content that a change replaced or removed.
func (j *journal) before(c *change) ([]byte, error) {
	v := c.Before
	packed, err := j.packed(c)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), v.Size+1))
	if err != nil || hashOf(content) != v.Hash {
		return nil, errImage
	}
	return content, nil
}

func (j *journal) packed(c *change) ([]byte, error) {
	if c.Before.Image == imageBlob {
		return j.readFile("blobs", blobFolder(c.Before.Hash), blobName(c.Before.Hash))
	}
	f, err := j.dir.open(segmentName(c.seg))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line := make([]byte, c.length)
	if _, err := f.ReadAt(line, c.at); err == io.EOF {
		return nil, errImage
	} else if err != nil {
		return nil, err
	}
	var r struct {
		ID     string
		Before struct{ Img string }
	}
	if json.Unmarshal(line, &r) != nil || r.ID != c.id || len(r.Before.Img) <= len(imageInline) {
		return nil, errImage
	}
	packed, err := base64.StdEncoding.DecodeString(r.Before.Img[len(imageInline)+1:])
	if err != nil {
		return nil, errImage
	}
	return packed, nil
}

// spoiled reports it as damage that a blob is not what its name says.
func (j *journal) spoiled(c *change, err error) {
	if errors.Is(err, errImage) {
		j.head, _ = j.readHead() // from now on, another one means that it was accepted
		j.damaged(c.seq, "the content before "+c.id+" is damaged")
	}
}

// isLost reports whether err of before says that the content is gone or damaged,
// which does not pass, and not that it could not be read just now.
func isLost(err error) bool { return errors.Is(err, errImage) || errors.Is(err, fs.ErrNotExist) }

// readFile reads a file below the journal's folder.
func (j *journal) readFile(path ...string) ([]byte, error) {
	d := folder(keepOpen{j.dir})
	for _, name := range path[:len(path)-1] {
		next, err := d.openDir(name)
		d.Close()
		if err != nil {
			return nil, err
		}
		d = next
	}
	defer d.Close()
	return readWhole(d, path[len(path)-1])
}

// lostBlobs are the changes whose blob is gone or is not what its name says. It reads
// the blobs that were not read yet, those of the newest changes first, and so many
// bytes of content.
func (j *journal) lostBlobs(room int64) (ids []string, err error) {
	for _, c := range slices.Backward(j.changes) {
		b := c.Before
		if b == nil || b.Image != imageBlob || j.checked[b.Hash] {
			continue
		}
		if room -= b.Size; room < 0 {
			break
		}
		switch _, err := j.before(c); {
		case isLost(err):
			ids = append(ids, c.id)
		case err != nil:
			return nil, err
		default:
			j.checked[b.Hash] = true
		}
	}
	return ids, nil
}

// checkBlobs reports lost blobs as damage. Before its commit nothing was done that
// needs a change's.
func (j *journal) checkBlobs(room int64) error {
	ids, err := j.lostBlobs(room)
	for _, id := range ids {
		if c := j.byID[id]; c.end == typeCommit && !j.lost[id] {
			j.spoiled(c, errImage)
		}
	}
	return err
}

// listBlobs tells which contents are kept, and the bytes that each takes.
func (j *journal) listBlobs() (map[SHA256]int64, error) {
	have := map[SHA256]int64{}
	err := j.eachBlob(func(d folder, name string, h SHA256) error {
		if name != blobName(h) {
			return nil
		}
		info, err := d.lstat(name)
		if err == nil {
			have[h] = info.Size()
		}
		return err
	})
	return have, err
}

// keepFile puts content into the folder kept, for a person: all of it or, on an
// error, nothing.
func (j *journal) keepFile(name string, content io.Reader) error {
	d, err := j.dir.openDir(keptFolder)
	if err != nil {
		return err
	}
	defer d.Close()
	return replaceFile(d, name, content)
}

// begunSuffix ends the name of a file that is being written to replace another.
const begunSuffix = ".tmp"

// replaceFile gives the file at name, which may be there, a content, durably: all of
// it or, on an error, nothing. The lock is held.
func replaceFile(d folder, name string, content io.Reader) error {
	tmp := name + begunSuffix
	if err := d.remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := d.create(tmp, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, d.remove(tmp))
	}
	if err := d.replace(tmp, name); err != nil {
		return err
	}
	return d.sync()
}

func (j *journal) removeKept(names []string) error {
	if len(names) == 0 {
		return nil
	}
	d, err := j.dir.openDir(keptFolder)
	if err != nil {
		return err
	}
	defer d.Close()
	for _, name := range names {
		if err := d.remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// eachBlob calls do for each blob, and for what a crash left of the making of one,
// which has another name than the blob.
func (j *journal) eachBlob(do func(d folder, name string, h SHA256) error) error {
	blobs, err := j.dir.openDir("blobs")
	if err != nil {
		return err
	}
	defer blobs.Close()
	subs, err := blobs.readDir()
	if err != nil {
		return err
	}
	for _, sub := range subs {
		if !sub.IsDir() {
			continue // not ours
		}
		d, err := blobs.openDir(sub.Name())
		if err != nil {
			return err
		}
		entries, err := d.readDir()
		for _, e := range entries {
			var h string
			if n, _ := fmt.Sscanf(e.Name(), "%64s.z", &h); n == 1 && strings.TrimSuffix(e.Name(), begunSuffix) == blobName(SHA256(h)) && err == nil {
				err = do(d, e.Name(), SHA256(h))
			}
		}
		if err = errors.Join(err, d.Close()); err != nil {
			return err
		}
	}
	return nil
}
