package lanes

import features "golang.org/x/sys/cpu"

func classOfThisCPU() class {
	return classifyARM(features.ARM64.HasSHA2, features.ARM64.HasATOMICS)
}
