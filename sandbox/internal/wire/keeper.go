package wire

// Request is a packet to the keeper. A start comes with the descriptors that the
// back end gets: input, output, errors, control, arguments.
type Request struct {
	ID      int64
	Program string // start this
	Args    []string
	Kill    bool
}

// Answer is a packet from the keeper. The first one is Hello, with a descriptor of
// /tmp where that is shared.
type Answer struct {
	ID     int64
	Hello  *Hello
	Ended  bool
	Status uint32 // as wait(2) gives it
	Failed string // the program was not started
}

// Hello says what the keeper could set up.
type Hello struct {
	Tmp   string // where /tmp is mounted, for the back end; "" for none
	Alone string // why it has no namespaces of its own
}

// MaxPacket bounds a packet, in bytes.
const MaxPacket = 64 << 10

// MaxDescriptors come along with one packet.
const MaxDescriptors = 8
