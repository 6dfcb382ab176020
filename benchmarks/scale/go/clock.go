package main

import (
	"log"
	"syscall"
	"unsafe"
)

const clockMonotonic = 1

// monotonic reads the clock that Python's time.monotonic reads on Linux.
func monotonic(now *syscall.Timespec) {
	_, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(now)), 0)
	if failed != 0 {
		log.Fatal(failed)
	}
}
