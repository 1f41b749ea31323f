package jail

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Reading ahead: while fn looks at one directory, helpers open and list those that
// will most likely come next. Nearly all the time of a walk goes into the kernel's
// part of that, so that a second processor nearly halves it.
const (
	aheadOfLevel = 4  // directories of one level that are read ahead
	aheadOfWalk  = 16 // those of a whole walk: as many descriptors and buffers
	aheadHelpers = 3  // at most; one for each processor beyond the first
)

// An errand is to open and list a directory before its turn. It belongs to the
// walk until a helper takes it, and again when it is done.
type errand struct {
	from *sharedDir // holds name; is let go of at the end
	name string

	state atomic.Int32
	done  chan struct{} // closed by the helper, after it has filled what follows

	dir  dir // nil if the walk has to try itself, and to see what is wrong
	list *begunList
}

const (
	errandWaits int32 = iota
	errandTaken
	errandDone
	errandOff // nobody wants the result
)

// run does the errand, unless that is not wanted any more.
func (e *errand) run() {
	if !e.state.CompareAndSwap(errandWaits, errandTaken) {
		return
	}
	e.dir, e.list = readFirst(e.from, e.name)
	e.from.release()
	if !e.state.CompareAndSwap(errandTaken, errandDone) {
		e.close()
	}
	close(e.done)
}

// readFirst opens a directory and reads its first portion. What fails is left to
// the walk's own turn: it may have been mended by then.
func readFirst(from dir, name string) (dir, *begunList) {
	d, err := from.openDir(name, false)
	if err != nil {
		return nil, nil
	}
	list, err := d.lister(0)
	if err == nil {
		var first []entry
		if first, err = list.next(); err == nil {
			return d, &begunList{lister: list, first: first, begun: true}
		}
	}
	_ = d.close()
	return nil, nil
}

// close throws the result away.
func (e *errand) close() {
	if e.dir != nil {
		e.list.close()
		_ = e.dir.close()
	}
}

// callOff ends an errand whose result is not wanted.
func (e *errand) callOff() {
	switch {
	case e.state.CompareAndSwap(errandWaits, errandOff):
		e.from.release()
	case e.state.CompareAndSwap(errandTaken, errandOff): // the helper will close it
	default:
		e.close()
	}
}

// A begunList is a listing whose first portion has been read.
type begunList struct {
	lister
	first []entry
	begun bool // first has not been returned
}

func (l *begunList) next() ([]entry, error) {
	if l.begun {
		l.begun = false
		return l.first, nil
	}
	return l.lister.next()
}

func (l *begunList) mark() (int64, bool) {
	if l.begun {
		return 0, true
	}
	return l.lister.mark()
}

// A readAhead is what one walk has under way. All but the helpers' part is for
// the walk's goroutine.
type readAhead struct {
	queue   chan *errand
	helpers sync.WaitGroup
	out     int // errands whose result was neither used nor called off
}

// startAhead starts the helpers, if there is a processor for them.
func startAhead() *readAhead {
	count := min(runtime.GOMAXPROCS(0)-1, aheadHelpers)
	if count <= 0 {
		return nil
	}
	r := &readAhead{queue: make(chan *errand, aheadOfWalk)}
	for range count {
		r.helpers.Go(func() {
			for e := range r.queue {
				e.run()
			}
		})
	}
	return r
}

// stop waits for the helpers. All errands have been called off.
func (r *readAhead) stop() {
	close(r.queue)
	r.helpers.Wait()
}

// send puts an errand into the queue; false if that is full.
func (r *readAhead) send(e *errand) bool {
	select {
	case r.queue <- e:
		r.out++
		return true
	default:
		return false
	}
}

// await returns what came of an errand whose turn it is. Meanwhile it does others
// rather than wait, and the errand itself if nobody has begun.
func (r *readAhead) await(e *errand) (dir, *begunList) {
	r.out--
	e.run()
	for {
		select {
		case <-e.done:
			return e.dir, e.list
		default:
		}
		select {
		case <-e.done:
		case other := <-r.queue:
			other.run()
		}
	}
}

// drop gives up an errand.
func (r *readAhead) drop(e *errand) {
	r.out--
	e.callOff()
}

// callOff gives up what a level has under way.
func (w *treeWalk) callOff(l *level) {
	for _, e := range l.ahead {
		w.ahead.drop(e)
	}
	l.ahead = nil
}

// plan sends errands for the next directories of the innermost level.
func (w *treeWalk) plan(at *level) {
	if w.opts.Depth > 0 && len(w.levels) >= w.opts.Depth {
		return // they will not be entered
	}
	for ; at.planned < len(at.pending) && len(at.ahead) < aheadOfLevel; at.planned++ {
		next := at.pending[at.planned]
		if !next.kind.IsDir() || !w.temps && isTemp(next.name) {
			continue
		}
		if w.ahead.out >= aheadOfWalk {
			w.makeRoom()
		}
		e := &errand{from: at.dir, name: next.name, done: make(chan struct{})}
		at.dir.users.Add(1)
		if !w.ahead.send(e) {
			at.dir.release()
			return
		}
		at.ahead = append(at.ahead, e)
	}
}

// makeRoom gives up what will be needed the latest: the errands of the outermost
// level.
func (w *treeWalk) makeRoom() {
	for _, l := range w.levels {
		if len(l.ahead) > 0 {
			w.callOff(l)
			return
		}
	}
}

// takeAhead is the errand for an entry that has come to its turn, or nil.
func (l *level) takeAhead(name string) *errand {
	if len(l.ahead) == 0 || l.ahead[0].name != name {
		return nil
	}
	e := l.ahead[0]
	l.ahead = l.ahead[1:]
	return e
}
