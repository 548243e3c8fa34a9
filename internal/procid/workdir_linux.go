package procid

// workingDirectory is empty when it may not be read, or when the process is not the one that was scanned any more.
func workingDirectory(p Process) string {
	v, err := look(p.PID)
	if err != nil {
		return ""
	}
	defer v.close()
	dir, err := v.dir.link("cwd")
	if err != nil || v.stat.startTicks != p.StartTicks {
		return ""
	}
	return dir
}
