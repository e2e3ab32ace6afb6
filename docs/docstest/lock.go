package docstest

import (
	"crypto/md5"
	"crypto/rc4"
	"fmt"
)

// A lock encrypts a file as the first encrypted PDF files were: ISO 32000-1, 7.6.3,
// revision 2. Nil: nothing is encrypted.
type lock struct{ key, owner, user []byte }

// padding fills up passwords.
const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// permissions allow everything.
const permissions int32 = -4 // a bit field

func newLock(password string) *lock {
	padded := []byte(password + padding)[:len(padding)]
	l := &lock{owner: stir(hash5(padded), padded)}
	signed := permissions
	p := uint32(signed)
	seed := append(append([]byte{}, padded...), l.owner...)
	seed = append(seed, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	l.key = hash5(append(seed, fileID...))
	l.user = stir(l.key, []byte(padding))
	return l
}

func hash5(b []byte) []byte {
	sum := md5.Sum(b)
	return sum[:5]
}

func stir(key, b []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // keys have 5 or 10 bytes
	}
	out := make([]byte, len(b))
	c.XORKeyStream(out, b)
	return out
}

// cipher encrypts a string or a stream of object n.
func (l *lock) cipher(n int, b []byte) []byte {
	if l == nil {
		return b
	}
	sum := md5.Sum(append(append([]byte{}, l.key...), byte(n), byte(n>>8), byte(n>>16), 0, 0))
	return stir(sum[:10], b)
}

func (l *lock) dictionary() string {
	return fmt.Sprintf("<</Filter/Standard/V 1/R 2/O<%x>/U<%x>/P %d>>", l.owner, l.user, permissions)
}
