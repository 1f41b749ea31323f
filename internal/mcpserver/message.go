package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is a message as JSON-RPC has it. It is decoded here and not by the SDK,
// which takes 32 KiB of fresh memory a message, and an id of 1.5 for 1.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *jsonrpc.Error  `json:"error"`
}

// decode reads one message. What is none is answered with the response that it
// returns instead.
func decode(raw []byte) (jsonrpc.Message, *jsonrpc.Response) {
	var e envelope
	err := json.Unmarshal(raw, &e)
	if err != nil && !json.Valid(raw) {
		return nil, protocolError(jsonrpc.ID{}, jsonrpc.CodeParseError, "the message is not JSON")
	}
	id, idErr := decodeID(e.ID)
	switch {
	case err != nil: // some member is of the wrong type
	case idErr != nil:
		err = idErr
	case e.Version != "2.0":
		err = errors.New(`"jsonrpc" must be "2.0"`)
	case e.Method != nil:
		return &jsonrpc.Request{ID: id, Method: *e.Method, Params: e.Params}, nil
	case id.IsValid() && e.Error != nil:
		return &jsonrpc.Response{ID: id, Error: e.Error}, nil
	case id.IsValid() && e.Result != nil:
		return &jsonrpc.Response{ID: id, Result: e.Result}, nil
	default:
		err = errors.New("it has no method and no result")
	}
	return nil, protocolError(id, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is no request: %v", err))
}

// decodeID reads the id of a message: a string or a whole number, or nothing.
func decodeID(raw json.RawMessage) (jsonrpc.ID, error) {
	if raw == nil {
		return jsonrpc.ID{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		return jsonrpc.MakeID(text)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n != int64(float64(n)) {
		return jsonrpc.ID{}, errors.New("the id must be a string or a whole number below 2^53")
	}
	return jsonrpc.MakeID(float64(n))
}

func protocolError(id jsonrpc.ID, code int64, message string) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: clip(message)}}
}

// maxErrorText bounds what an error repeats of the client's message, in bytes.
const maxErrorText = 1 << 10

func clip(s string) string {
	if len(s) <= maxErrorText {
		return s
	}
	return s[:maxErrorText] + "…"
}

// named returns what can be read of the tool and the arguments of a call that
// may be malformed, for its record.
func named(params json.RawMessage) (name string, args json.RawMessage) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(params, &p) // what can be read of it
	return p.Name, p.Arguments
}

// calledTool returns the params of a message that is no valid request and yet
// asks for a tool.
func calledTool(raw []byte) (params json.RawMessage, ok bool) {
	var loose struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	_ = json.Unmarshal(raw, &loose) // what can be read of it
	return loose.Params, loose.Method == methodCallTool
}

// encode writes a response in pieces, the parts of a payload in their places.
func encode(r *jsonrpc.Response, p *payload) ([][]byte, error) {
	if r.Error != nil || len(r.Result) == 0 {
		line, err := encodeError(r)
		return [][]byte{line}, err
	}
	id, err := json.Marshal(r.ID.Raw())
	if err != nil {
		return nil, err
	}
	pieces := [][]byte{join([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`))}
	if p == nil {
		pieces = append(pieces, r.Result)
	} else if pieces, err = p.splice(pieces, r.Result); err != nil {
		return nil, err
	}
	return append(pieces, []byte("}")), nil
}

// encodeError writes an error. JSON-RPC wants the id of a message that could not
// be read as null, where the SDK leaves it out. The SDK's errors may repeat a whole
// message, and have no code where a request comes before its time.
func encodeError(r *jsonrpc.Response) ([]byte, error) {
	e := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "no result"}
	var coded *jsonrpc.Error
	if errors.As(r.Error, &coded) {
		e = *coded
	}
	if r.Error != nil {
		e.Message = clip(r.Error.Error())
	}
	return marshal(struct {
		Version string        `json:"jsonrpc"`
		ID      any           `json:"id"`
		Error   jsonrpc.Error `json:"error"`
	}{"2.0", r.ID.Raw(), e})
}
