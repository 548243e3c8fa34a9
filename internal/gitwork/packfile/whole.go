package packfile

import (
	"bytes"
	"io"
)

// checkChunk checks the whole objects from place on, up to the end of the chunk, and notes what the deltas among
// them are made against.
func (c *checker) checkChunk(f *inflater, first int32) error {
	begin := c.start(int(first))
	for place := int(first); place < c.index.Len() && c.start(place) < begin+chunkSize; place++ {
		h, err := c.open(f, place)
		if err != nil {
			return err
		}
		if c.ctx.Err() != nil {
			return nil
		}
		c.bases[place] = whole
		if h.isDelta() {
			base := c.index.at(h.base)
			if base < 0 {
				return corrupt("object at %d is a delta against nothing, at %d", c.start(place), h.base)
			}
			c.bases[place] = int32(base)
			continue
		}
		if err := c.checkWhole(f, place, h); err != nil {
			return err
		}
		c.read(c.end(place) - c.start(place))
	}
	return nil
}

// open reads the header of an object; its compressed bytes are next in f.
func (c *checker) open(f *inflater, place int) (header, error) {
	start, end := c.start(place), c.end(place)
	f.src.Reset(io.NewSectionReader(c.pack.From, c.pack.At+start, end-start))
	return c.index.readHeader(f.src, start)
}

// checkWhole streams a blob, however large; what names other objects is held and looked into.
func (c *checker) checkWhole(f *inflater, place int, h header) error {
	if h.kind != typeBlob {
		content, err := f.bytes(h.size)
		if err != nil {
			return c.fault(place, err)
		}
		return c.checkContent(f, place, h.kind, content)
	}
	sum := c.index.format.objectHash("blob", h.size)
	if err := f.into(sum, h.size); err != nil {
		return c.fault(place, err)
	}
	return c.checkName(f, place, sum.Sum(nil))
}

func (c *checker) checkContent(f *inflater, place, kind int, content []byte) error {
	sum := c.index.format.objectHash(typeNames[kind], int64(len(content)))
	sum.Write(content)
	if err := c.checkName(f, place, sum.Sum(nil)); err != nil {
		return err
	}
	return c.checkReferences(place, kind, content)
}

// checkName compares what was computed with the index, and that nothing is left between this object and the next.
func (c *checker) checkName(f *inflater, place int, name []byte) error {
	if _, err := f.src.ReadByte(); err != io.EOF {
		return corrupt("object at %d is followed by something else", c.start(place))
	}
	if want := c.index.name(int(c.index.order[place])); !bytes.Equal(name, want) {
		return corrupt("object at %d is %x, not %x", c.start(place), name, want)
	}
	return nil
}

func (c *checker) checkReferences(place, kind int, content []byte) error {
	own := c.index.name(int(c.index.order[place]))
	var missing []byte
	err := references(c.index.format, kind, content, func(name []byte, parent bool) bool {
		if !c.index.Has(name) && !(parent && c.options.Shallow[string(own)]) {
			missing = bytes.Clone(name)
		}
		return missing == nil
	})
	if err != nil {
		return c.fault(place, err)
	}
	if missing != nil {
		return corrupt("%s %x needs %x, which is not in the pack", typeNames[kind], own, missing)
	}
	return nil
}

func (c *checker) fault(place int, err error) error {
	return corrupt("object at %d: %v", c.start(place), err)
}
