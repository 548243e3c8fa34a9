package procid

import "os"

var thisProcess lasting[Process]

// Self is this process. Its start ticks and program are unknown where /proc cannot be read.
func Self() Process {
	if p := thisProcess.get(readSelf); p != nil {
		return *p
	}
	return Process{PID: os.Getpid()}
}

// readSelf is nil where /proc cannot be read.
func readSelf() *Process {
	// By /proc/self and not by pid: /proc may number processes for another namespace.
	dir, err := openDir(procRoot + "/self")
	if err != nil {
		return nil
	}
	v := view{dir: dir}
	defer v.close()
	if v.stat, err = dir.readStat(); err != nil {
		return nil
	}
	p := v.process()
	p.PID = os.Getpid()
	return &p
}
