//go:build unix

package main

import "golang.org/x/sys/unix"

// bindSocket makes a socket of a name. Package net would do it with libc: see TestNoLibc.
func bindSocket(name string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Bind(fd, &unix.SockaddrUnix{Name: name})
}
