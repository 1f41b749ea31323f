package mcpserver

import (
	"bytes"
	"encoding/json"
	"sync"
)

// maxBatch bounds the messages of a batch: their answers are kept until all are there.
const maxBatch = maxRunning

// batch collects the answers to the messages that came in one array.
type batch struct {
	mu    sync.Mutex
	open  int // answers that are missing
	parts [][]byte
}

// add takes an answer, or nil for a call that gets none. With the last one it
// returns the line to write; nil if there is none.
func (b *batch) add(answer []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer != nil {
		b.parts = append(b.parts, answer)
	}
	if b.open--; b.open > 0 || len(b.parts) == 0 {
		return nil
	}
	return join([]byte("["), bytes.Join(b.parts, []byte(",")), []byte("]"))
}

// split takes the messages out of an array. ok is false for what is no array.
func split(data []byte) (messages []json.RawMessage, ok bool) {
	if data[0] != '[' {
		return nil, false
	}
	return messages, json.Unmarshal(data, &messages) == nil
}
