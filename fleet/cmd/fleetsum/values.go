package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A value is the value of an option, which has to be one that has a meaning.
type value[T any] struct {
	to    *T
	kind  string // in the help
	parse func(string) (T, error)
}

func (v value[T]) String() string { return fmt.Sprint(*v.to) }

func (v value[T]) Type() string { return v.kind }

func (v value[T]) Set(text string) (err error) {
	x, err := v.parse(text)
	if err == nil {
		*v.to = x
	}
	return err
}

// whole is the value of an option that is a number from least to most, and until it is set
// another.
func whole[T int | int64](to *T, initial, least, most T) value[T] {
	*to = initial
	return value[T]{to, "int", func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err == nil && n >= int64(least) && n <= int64(most):
			return T(n), nil
		case int64(most) >= math.MaxInt && n < int64(most): // n is the nearest number to one too large
			return 0, fmt.Errorf("a number from %d on is needed", least)
		}
		return 0, fmt.Errorf("a number from %d to %d is needed", least, most)
	}}
}

// perSecond is the value of an option that is a rate, or 0 for none.
func perSecond(to *float64) value[float64] {
	return value[float64]{to, "float", func(text string) (float64, error) {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0) || math.IsInf(n, 0) {
			return 0, errors.New("a number from 0 on is needed")
		}
		return n, nil
	}}
}

// period is the value of an option that is a time.
func period(to *time.Duration, initial time.Duration) value[time.Duration] {
	*to = initial
	return value[time.Duration]{to, "duration", func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, errors.New("a time such as 90s or 2m is needed")
		}
		return d, nil
	}}
}

// destination is nonEmpty for what is written to. Elsewhere - is a standard stream, so nobody is
// given a file of that name by mistake.
func destination(to *string) value[string] {
	v := nonEmpty(to, "")
	parse := v.parse
	v.parse = func(text string) (string, error) {
		if text == "-" {
			return "", errors.New("./- is a file of this name; without the option, standard output is written")
		}
		return parse(text)
	}
	return v
}

// nonEmpty is the value of an option that is a text. It is empty only if the option is not
// set: a variable of a script that has no value is a mistake.
func nonEmpty(to *string, initial string) value[string] {
	*to = initial
	return value[string]{to, "string", func(text string) (string, error) {
		if text == "" {
			return "", errors.New("it is empty")
		}
		return text, nil
	}}
}
