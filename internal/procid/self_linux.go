package procid

import "os"

// Self is this process. Its start ticks and program are unknown where /proc cannot be read.
func Self() Process {
	// By /proc/self and not by pid: /proc may number processes for another namespace.
	dir, err := openDir(procRoot + "/self")
	if err != nil {
		return Process{PID: os.Getpid()}
	}
	v := view{dir: dir}
	defer v.close()
	if v.stat, err = dir.readStat(); err != nil {
		return Process{PID: os.Getpid()}
	}
	self := v.process()
	self.PID = os.Getpid()
	return self
}
