package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// absent is the value of a key that is not there.
const absent int64 = 0

// input is a call on one key.
type input struct {
	kind     string
	key      string
	expected int64
	value    int64
}

// output is what a call told; nothing when its result is not known.
type output struct {
	known  bool
	result int64
}

// join is what MERGE and COMPUTE_IF_PRESENT make of two values, in numbers of 64 bits that wrap.
func join(before, added int64) int64 {
	mixed := (uint64(before) + 0x632BE59BD9B4E019) * (uint64(added) | 1)
	return int64((mixed ^ (mixed >> 29)) | 1<<62)
}

// next is the state after a call, and what the call returns.
func next(state int64, in input) (int64, int64) {
	switch in.kind {
	case "GET", "READ":
		return state, state
	case "PUT":
		return in.value, state
	case "PUT_IF_ABSENT":
		if state == absent {
			return in.value, state
		}
		return state, state
	case "REMOVE":
		return absent, state
	case "REMOVE_IF":
		if state == in.expected {
			return absent, 1
		}
		return state, 0
	case "REPLACE":
		if state == absent {
			return absent, absent
		}
		return in.value, state
	case "REPLACE_IF":
		if state == in.expected {
			return in.value, 1
		}
		return state, 0
	case "MERGE":
		after := in.value
		if state != absent {
			after = join(state, in.value)
		}
		return after, after
	case "COMPUTE":
		after := in.value
		if state != absent {
			after = absent
			if state&3 != 0 {
				after = join(state, in.value)
			}
		}
		return after, after
	case "COMPUTE_IF_ABSENT":
		after := state
		if state == absent {
			after = in.value
		}
		return after, after
	case "COMPUTE_IF_PRESENT":
		after := state
		if state != absent {
			after = join(state, in.value)
		}
		return after, after
	case "ADD":
		return state + in.value, state + in.value
	}
	panic("no call " + in.kind)
}

// cacheKey is one key of the cache, absent at first.
var cacheKey = porcupine.Model{
	Init: func() interface{} { return absent },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		after, result := next(state.(int64), in.(input))
		told := out.(output)
		return !told.known || told.result == result, after
	},
	DescribeOperation: func(in, out interface{}) string {
		return fmt.Sprintf("%+v -> %+v", in, out)
	},
}
