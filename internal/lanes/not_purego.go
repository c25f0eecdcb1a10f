//go:build !purego

package lanes

// purego says whether this build has no assembly because that was asked for.
const purego = false
