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

// Hello says what the keeper could set up. With it comes a descriptor of the
// session's /tmp, unless it is alone.
type Hello struct {
	Alone      string   // why it has no namespaces of its own, and so no area
	Namespaces []string // that it has, as Namespaces orders them
}

// Area is where a keeper with namespaces of its own has mounted /dev, /etc and /tmp
// for its runs.
const (
	Area    = "/sys"
	AreaTmp = Area + "/tmp"
)

// MaxPacket bounds a packet, in bytes.
const MaxPacket = 64 << 10

// MaxDescriptors come along with one packet.
const MaxDescriptors = 8
