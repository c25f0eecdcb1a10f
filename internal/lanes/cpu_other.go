//go:build !amd64

package lanes

func classOfThisCPU() class { return unknown }
