package mcpserver

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/baileyhq/bailey/tool"
)

// What a state that came back from a client can be instead of ours.
var (
	errStateForged  = errors.New("it was altered, or is not of this server")
	errStateUsed    = errors.New("it was used before, or is too old")
	errStateExpired = errors.New("it has expired")
	errStateOther   = errors.New("it belongs to another call")
)

// Bounds on the states that are on their way through clients.
const (
	maxStates     = 1024
	maxStateBytes = 2 << 10
	maxStateAge   = 24 * time.Hour
)

// state is what a question has to remember until it is answered. It travels
// through the client.
type state struct {
	ID      string    `json:"id"`      // of the request for approval
	Session bool      `json:"session"` // the choices were with one for the session
	Call    string    `json:"call"`    // the call that asked, by callDigest
	Until   time.Time `json:"until"`   // good before then
	Round   int       `json:"round"`   // how often this call has asked
	Nonce   string    `json:"nonce"`
}

// states seals states and opens each once. They are good for the life of the
// process: after its end a call simply asks again.
type states struct {
	key [32]byte

	mu   sync.Mutex
	open map[string]time.Time // nonces of states that are under way, and until when
}

func newStates() *states {
	s := &states{open: map[string]time.Time{}}
	_, _ = rand.Read(s.key[:]) // never fails
	return s
}

// seal signs a state, and expects it back. With too many under way, the one that
// would expire first is given up.
func (s *states) seal(st state, now time.Time) (string, error) {
	if last := now.Add(maxStateAge); st.Until.IsZero() || st.Until.After(last) {
		st.Until = last
	}
	st.Nonce = rand.Text()
	payload, err := json.Marshal(st)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(now)
	s.open[st.Nonce] = st.Until
	enc := base64.RawURLEncoding
	return enc.EncodeToString(payload) + "." + enc.EncodeToString(s.sign(payload)), nil
}

func (s *states) makeRoom(now time.Time) {
	first := ""
	for nonce, until := range s.open {
		if !until.After(now) {
			delete(s.open, nonce)
		} else if first == "" || until.Before(s.open[first]) {
			first = nonce
		}
	}
	if len(s.open) >= maxStates {
		delete(s.open, first)
	}
}

func (s *states) sign(payload []byte) []byte {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte("bailey approval state\x00"))
	mac.Write(payload)
	return mac.Sum(nil)
}

// take opens a state that came back with a call. It is used up, also where it is
// of another call.
func (s *states) take(sealed, call string, now time.Time) (state, error) {
	var st state
	payload, err := s.verify(sealed)
	if err != nil {
		return st, err
	}
	if err := json.Unmarshal(payload, &st); err != nil {
		return state{}, errStateForged
	}
	s.mu.Lock()
	_, expected := s.open[st.Nonce]
	delete(s.open, st.Nonce)
	s.mu.Unlock()
	switch {
	case !expected:
		return state{}, errStateUsed
	case !now.Before(st.Until):
		return state{}, errStateExpired
	case st.Call != call:
		return state{}, errStateOther
	}
	return st, nil
}

func (s *states) verify(sealed string) ([]byte, error) {
	if len(sealed) > maxStateBytes {
		return nil, errStateForged
	}
	first, second, _ := strings.Cut(sealed, ".")
	enc := base64.RawURLEncoding.Strict()
	payload, err := enc.DecodeString(first)
	mac, macErr := enc.DecodeString(second)
	if err != nil || macErr != nil || !hmac.Equal(mac, s.sign(payload)) {
		return nil, errStateForged
	}
	return payload, nil
}

// callDigest tells calls apart: by who calls which tool with which arguments. How
// a client spells the same JSON does not matter.
func callDigest(r tool.Request) (string, error) {
	var args any
	if len(r.Args) > 0 {
		dec := json.NewDecoder(bytes.NewReader(r.Args))
		dec.UseNumber()
		if err := dec.Decode(&args); err != nil {
			return "", err
		}
	}
	canonical, err := json.Marshal([]any{r.Tool, args, r.Session, r.Principal, r.Group})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
