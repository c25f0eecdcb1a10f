//go:build !amd64 || purego

package upper

func dirty() bool { return false }

func clean() {}

func inUse() bool { return false }
