//go:build !amd64 || purego

package upperhalves

func dirty() bool { return false }

func clean() {}

func inUse() bool { return false }
