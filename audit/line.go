package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

const (
	// maxLine bounds a line, its newline included, for writers and readers.
	maxLine = 16 << 20

	hashLen  = 2 * sha256.Size
	hashKey  = `,"hash":"`
	prevKey  = `,"prev":"`
	seqKey   = `{"seq":`
	lineEnd  = `"}`
	sealLen  = len(hashKey) + hashLen + len(lineEnd)
	chainLen = len(prevKey) + hashLen + len(`"`) + sealLen
)

// origin is the prev of the first record.
var origin = string(bytes.Repeat([]byte{'0'}, hashLen))

// cleaned is a copy of r as it may be written: secrets taken out, size bounded.
func cleaned(r *Record) *Record {
	clean := *r
	clean.Argv, clean.Command, clean.Detail = redactArgs(r.Argv), Redact(r.Command), Redact(r.Detail)
	if clean.textSize() >= maxLine {
		clean.clip()
	}
	return &clean
}

// seal appends the line of r to dst, newline included, and returns it with its
// hash. A record whose escapes make it too long is clipped.
func seal(dst []byte, r *Record) (line []byte, hash string) {
	body := r.appendBody(dst)
	if len(body)+sealLen >= maxLine {
		r.clip()
		body = r.appendBody(dst)
	}
	sum := sha256.Sum256(body)
	hash = hex.EncodeToString(sum[:])
	line = body[:len(body)-1]
	line = append(line, hashKey...)
	line = append(line, hash...)
	return append(line, lineEnd+"\n"...), hash
}

// Limits of a record that would make too long a line. A line of clipped fields
// fits whatever their bytes are: three lists and twenty texts, six bytes a byte.
const (
	clipText = 4 << 10
	clipList = 128
)

// texts are the fields that a caller may make as long as it likes, and lists
// those it may make as many as it likes.
func (r *Record) texts() [21]*string {
	return [...]*string{
		&r.ID, &r.Phase, &r.Group, &r.Task, &r.Session, &r.Principal, &r.Tool, &r.Op, &r.Path, &r.Resolved, &r.Destination,
		&r.Result, &r.Rule, &r.ErrorKind, &r.Detail, &r.Approval, &r.Command, &r.Sandbox, &r.Guarantee, &r.SHA256Before, &r.SHA256After,
	}
}

func (r *Record) lists() [3]*[]string { return [...]*[]string{&r.Paths, &r.Argv, &r.Network} }

func (r *Record) textSize() int {
	n := 0
	for _, s := range r.texts() {
		n += len(*s)
	}
	for _, list := range r.lists() {
		for _, s := range *list {
			n += len(s)
		}
	}
	return n
}

// clip shortens every text and list, and says what it took: a call must not
// escape the log by being huge.
func (r *Record) clip() {
	for _, s := range r.texts() {
		*s = clipped(*s)
	}
	for _, list := range r.lists() {
		*list = clippedList(*list)
	}
}

func clipped(s string) string {
	if len(s) <= clipText {
		return s
	}
	return fmt.Sprintf("%s… [cut: %d bytes in all, sha256 %x]", s[:clipText], len(s), sha256.Sum256([]byte(s)))
}

func clippedList(list []string) []string {
	kept := list[:min(len(list), clipList)]
	out := make([]string, 0, len(kept)+1)
	for _, s := range kept {
		out = append(out, clipped(s))
	}
	if rest := len(list) - len(kept); rest > 0 {
		out = append(out, fmt.Sprintf("… [cut: %d in all]", len(list)))
	}
	return out
}

// link is the part of a record that makes the chain.
type link struct {
	seq        int64
	prev, hash []byte // point into the line
	intact     bool   // hash is that of the line's bytes
}

// parseLink reads the chain of a line, which is without its newline. It looks
// only at the two ends, whose form is fixed, and hashes the bytes as they are.
func parseLink(line []byte) (link, bool) {
	start, ok := bytes.CutPrefix(line, []byte(seqKey))
	if !ok || len(line) < len(seqKey)+chainLen {
		return link{}, false
	}
	digits, _, ok := bytes.Cut(start, []byte{','})
	if !ok {
		return link{}, false
	}
	seq, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || seq < 1 || digits[0] == '0' || digits[0] == '+' {
		return link{}, false
	}
	end := line[len(line)-chainLen:]
	prev, end, ok := cutHash(end, prevKey)
	if !ok {
		return link{}, false
	}
	hash, end, ok := cutHash(end[1:], hashKey)
	if !ok || string(end) != lineEnd {
		return link{}, false
	}
	return link{seq: seq, prev: prev, hash: hash, intact: intact(line, hash)}, true
}

// cutHash splits `KEY` + hash + `"…` into the hash and the rest, quote included.
func cutHash(p []byte, key string) (hash, rest []byte, ok bool) {
	p, ok = bytes.CutPrefix(p, []byte(key))
	if !ok || p[hashLen] != '"' {
		return nil, nil, false
	}
	for _, c := range p[:hashLen] {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return nil, nil, false
		}
	}
	return p[:hashLen], p[hashLen:], true
}

func intact(line, hash []byte) bool {
	h := sha256.New()
	h.Write(line[:len(line)-sealLen])
	h.Write([]byte{'}'})
	var sum [sha256.Size]byte
	var text [hashLen]byte
	hex.Encode(text[:], h.Sum(sum[:0]))
	return bytes.Equal(text[:], hash)
}
