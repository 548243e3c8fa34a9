package procid

import (
	"errors"
	"fmt"
	"strconv"
)

// view is a look into one process through a thread of it that lives, if one does.
type view struct {
	dir     procDir
	stat    stat // of the process: that of its first thread
	through stat // of the thread looked through
	dead    bool // no thread of it lives
}

// look opens a process. It returns errGone when there is none.
func look(pid int) (view, error) {
	dir, err := openDir(procRoot + "/" + strconv.Itoa(pid))
	if err != nil {
		return view{}, err
	}
	v := view{dir: dir}
	if err := v.settle(); err != nil {
		v.close()
		return view{}, err
	}
	return v, nil
}

func (v *view) close() { v.dir.close() }

func (d procDir) readStat() (stat, error) {
	var b [1024]byte
	line, err := d.readPiece("stat", b[:])
	if err != nil {
		return stat{}, err
	}
	return parseStat(line)
}

// maxSettling bounds how often a process may change its threads under our eyes.
const maxSettling = 100

// settle finds out whether the process lives. One whose first thread has ended looks like a zombie, with no environment,
// files or working directory, while its other threads still have them all. If a listed thread vanishes, that is no
// answer: by execve it becomes the first thread, or it may have left a younger one behind.
func (v *view) settle() error {
	for range maxSettling {
		stat, err := v.dir.readStat()
		if err != nil {
			return err
		}
		v.stat, v.through, v.dead = stat, stat, stat.ended()
		if !v.dead || stat.threads < 2 {
			return nil
		}
		if settled, err := v.enterLivingThread(); err != nil || settled {
			return err
		}
	}
	return fmt.Errorf("process %d does not stop replacing its threads", v.stat.pid)
}

// enterLivingThread makes v look through the first thread that lives. It is not settled when there is none, and one of
// those listed has vanished.
func (v *view) enterLivingThread() (settled bool, err error) {
	threads, err := v.dir.numbers("task")
	if err != nil {
		return false, err
	}
	settled = true
	for _, tid := range threads {
		err := v.tryThread(tid)
		if err == nil && !v.dead {
			return true, nil
		}
		if unlessGone(err) != nil {
			return false, err
		}
		settled = settled && err == nil
	}
	return settled, nil
}

// tryThread makes v look through the thread if that lives.
func (v *view) tryThread(tid int) error {
	dir, err := v.dir.open("task/" + strconv.Itoa(tid))
	if err != nil {
		return err
	}
	thread, err := dir.readStat()
	if err != nil || thread.ended() {
		dir.close()
		return err
	}
	v.dir.close()
	v.dir, v.through, v.dead = dir, thread, false
	return nil
}

func unlessGone(err error) error {
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

// process describes what is looked at.
func (v *view) process() Process {
	return Process{PID: v.stat.pid, StartTicks: v.stat.startTicks, Program: v.program()}
}
