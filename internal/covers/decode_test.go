package covers

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// FuzzDecode: no file makes it panic or take memory beyond the file's size.
func FuzzDecode(f *testing.F) {
	n := &node{marks: []mark{{name: "a", what: masked, rule: "r"}}, inodes: []uint32{1, 2}}
	n.kids = []kid{{name: "k", rule: "r", node: &node{parent: n, name: "k"}}}
	f.Add(encode([]*ground{{root: n}}, []byte("s"))[4:])
	f.Fuzz(func(t *testing.T, body []byte) {
		text := append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(body, crcTable)), body...)
		roots, err := decode(text, []byte("s"))
		if err != nil {
			return
		}
		for _, root := range roots {
			root.all(nil)
		}
	})
}
