package store

// A Resumable is an Object that can be read from any byte on, as long as it is the same.
type Resumable interface {
	Object
	// Identity is what is the same as long as the object is: ETag and version, or
	// generation. It is "" if the store does not say it.
	Identity() string
	// SkipTo has Read go on at byte n. If the object is not the same any more, Read
	// returns ErrChanged.
	SkipTo(n int64)
}

func (o *remote) Identity() string { return o.identity }

func (o *remote) SkipTo(n int64) {
	o.Close()
	o.n = n
}
