package fixity

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// answerError answers as each kind of store does when something is wrong.
func answerError(scheme string, status int, code string) liar {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("X-Ms-Error-Code", code)
		w.WriteHeader(status)
		if code != "" {
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>No.</Message></Error>", code)
		}
	}
}

// What the same request would meet again is not requested again. What is one object's
// own fault does not end the work, what is the store's does.
func TestPermanentErrors(t *testing.T) {
	for _, tt := range []struct {
		scheme string
		status int
		code   string
		passes bool // with time
		down   bool // if there are enough of these in a row
	}{
		{"s3", 400, "InvalidRequest", false, false}, // SSE-C
		{"s3", 400, "KeyTooLongError", false, false},
		{"s3", 400, "KMS.DisabledException", false, false},
		{"s3", 400, "KMS.NotFoundException", false, false},
		{"s3", 400, "UserProjectMissing", false, true}, // Google's S3
		{"s3", 400, "ExpiredToken", false, true},
		{"s3", 400, "AuthorizationHeaderMalformed", false, true},
		{"s3", 401, "Unauthorized", false, true},
		{"s3", 403, "AccessDenied", false, true},
		{"s3", 403, "", false, true},
		{"s3", 407, "", false, true},
		{"s3", 400, "RequestTimeout", true, true},
		{"s3", 400, "RequestLimitExceeded", true, true},
		{"s3", 408, "", true, true},
		{"s3", 409, "OperationAborted", true, true},
		{"s3", 429, "", true, true},
		{"s3", 500, "InternalError", true, true},
		{"s3", 503, "SlowDown", true, true},
		{"gs", 400, "ResourceIsEncryptedWithCustomerEncryptionKey", false, false},
		{"gs", 400, "KeyTooLong", false, false},
		{"gs", 400, "UserProjectMissing", false, true},
		{"gs", 401, "", false, true},
		{"gs", 403, "AccessDenied", false, true},
		{"gs", 403, "rateLimitExceeded", true, true},
		{"gs", 408, "", true, true},
		{"gs", 429, "", true, true},
		{"gs", 503, "", true, true},
		{"azblob", 409, "BlobUsesCustomerSpecifiedEncryption", false, false},
		{"azblob", 400, "OutOfRangeInput", false, false},
		{"azblob", 400, "InvalidHeaderValue", false, true},
		{"azblob", 401, "NoAuthenticationInformation", false, true},
		{"azblob", 403, "AuthenticationFailed", false, true},
		{"azblob", 409, "ContainerBeingDeleted", true, true},
		{"azblob", 429, "", true, true},
		{"azblob", 500, "OperationTimedOut", true, true},
		{"azblob", 503, "ServerBusy", true, true},
	} {
		t.Run(fmt.Sprint(tt.scheme, " ", tt.status, " ", tt.code), func(t *testing.T) {
			var requests atomic.Int64
			answer := answerError(tt.scheme, tt.status, tt.code)
			c := lie(t, tt.scheme, func(w http.ResponseWriter, r *http.Request, nth int) {
				requests.Add(1)
				answer(w, r, nth)
			})
			c.Readers, c.MaxFailures = 1, 3
			results, err := run(c, five(tt.scheme+"://bucket/key"))
			var down *DownError
			if errors.As(err, &down) != tt.down || !tt.down && err != nil {
				t.Errorf("the work ended with %v", err)
			}
			// The next run reads again what may be readable then, if only because
			// somebody has given new credentials.
			for _, r := range results {
				if r.Outcome != Unreadable || r.Retry != (tt.passes || tt.down) {
					t.Errorf("got %+v", r)
				}
			}
			objects, want := int64(5), int64(1)
			if tt.down {
				objects = 3
			}
			if tt.passes {
				want = 3 // lie's Store tries twice more
			}
			if requests.Load() != objects*want {
				t.Errorf("%d requests for %d objects, want %d for each", requests.Load(), objects, want)
			}
		})
	}
}

// A store says how long to wait, and that is waited.
func TestRetryAfter(t *testing.T) {
	data := []byte("text")
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		t.Run(scheme, func(t *testing.T) {

			var answered time.Time
			answer := answerError(scheme, http.StatusServiceUnavailable, "SlowDown")
			c := lie(t, scheme, func(w http.ResponseWriter, r *http.Request, nth int) {
				if nth == 0 {
					answered = time.Now()
					w.Header().Set("Retry-After", "1")
					answer(w, r, nth)
					return
				}
				if since := time.Since(answered); since < time.Second {
					t.Errorf("asked again after %v", since)
				}
				identify(w, 1)
				send(w, 200, "", data, -1)
			})
			if r := check(t, c, five(scheme + "://bucket/key")[:1]...)[0]; r.Outcome != New {
				t.Errorf("got %+v", r)
			}
		})
	}
}
