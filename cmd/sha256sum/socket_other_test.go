//go:build !unix

package main

import "errors"

func bindSocket(string) error { return errors.ErrUnsupported }
