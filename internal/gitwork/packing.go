package gitwork

import (
	"os"
	"path/filepath"
	"time"
)

// packLook is how often git's unfinished pack is looked at: git itself says nothing that could be passed on.
const packLook = 100 * time.Millisecond

// watchPacking tells how far git is with a pack that it is writing in the shadow, until the caller calls stop.
func (c *capture) watchPacking() (stop func()) {
	c.meter.expect(c.packed())
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticks := time.NewTicker(packLook)
		defer ticks.Stop()
		for seen := int64(0); ; {
			select {
			case <-done:
				return
			case <-ticks.C:
			}
			if now := sizeIn(filepath.Join(c.dir, "objects", "pack"), "tmp_pack_*"); now > seen {
				c.meter.add(now - seen)
				seen = now
			}
		}
	}()
	return func() { close(done); <-stopped }
}

// packed estimates what git will write: about as much as is there.
func (c *capture) packed() (bytes int64) {
	for _, store := range c.stores {
		bytes += sizeIn(filepath.Join(store, "pack"), "*.pack")
	}
	return bytes
}

func sizeIn(dir, pattern string) (bytes int64) {
	names, _ := os.ReadDir(dir) // an estimate
	for _, n := range names {
		if is, _ := filepath.Match(pattern, n.Name()); !is {
			continue
		}
		if info, err := n.Info(); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
