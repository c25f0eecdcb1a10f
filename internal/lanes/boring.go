//go:build boringcrypto

package lanes

import "crypto/boring"

// boringCrypto reports whether BoringCrypto does the work of crypto/sha256, as programs
// built with GOEXPERIMENT=boringcrypto demand.
func boringCrypto() bool { return boring.Enabled() }
