package store

import (
	"context"
	"net/http/httptrace"
	"strings"
	"testing"
)

// resuming is a body as of Google's SDK: it breaks, requests the rest, and gets an
// answer although the request was canceled.
type resuming struct {
	ctx  context.Context
	rest *strings.Reader
}

func (r *resuming) Read(p []byte) (int, error) {
	httptrace.ContextClientTrace(r.ctx).GetConn("the second request")
	n := copy(p, "the end of the first body")
	m, err := r.rest.Read(p[n:])
	return n + m, err
}

func (r *resuming) Close() error { return nil }

func TestNoBytesOfASecondRequest(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	body := &resuming{ctx: oneRequest(ctx, cancel), rest: strings.NewReader("another object")}
	trace := httptrace.ContextClientTrace(body.ctx)
	trace.GetConn("the first request")
	trace.GotFirstResponseByte()
	r := &canceler{body, ctx, cancel}
	defer r.Close()
	if n, err := r.Read(make([]byte, 1000)); n != 0 || err != errBroke {
		t.Errorf("got %d bytes, %v", n, err)
	}
}
