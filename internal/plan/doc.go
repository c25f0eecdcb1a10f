// Package plan decides which kernels run, by their costs on this CPU. It chooses the
// kernels that compress one stream, advance n live lanes or n chains of HMAC, hash n
// nodes, search nonces and follow chains of WOTS+. It also chooses the time slices in
// which jobs share lanes. It consists of pure functions of costs, features and settings.
// Package lanes runs what they return.
package plan
