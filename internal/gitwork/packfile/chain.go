package packfile

// plant returns the whole objects that deltas are made against, having noted the children of each base.
func (c *checker) plant() ([]int32, error) {
	c.children = make([][]int32, c.index.Len())
	for place, base := range c.bases {
		if base != whole {
			c.children[base] = append(c.children[base], int32(place))
		}
	}
	var roots []int32
	for place, base := range c.bases {
		if base == whole && c.children[place] != nil {
			roots = append(roots, int32(place))
		}
	}
	return roots, nil
}

// pending is a delta whose base has been made.
type pending struct {
	place int32
	base  []byte
}

// checkChain checks every delta that rests on a whole object. A base is held only as long as one of its own deltas
// is still to be made, so a chain without branches needs two objects at a time.
func (c *checker) checkChain(f *inflater, root int32) error {
	h, err := c.open(f, int(root))
	if err != nil {
		return err
	}
	content, err := f.bytes(h.size)
	if err != nil {
		return c.fault(int(root), err)
	}
	stack := c.pushChildren(nil, root, content)
	content = nil
	for len(stack) > 0 && c.ctx.Err() == nil {
		top := stack[len(stack)-1]
		stack[len(stack)-1] = pending{}
		stack = stack[:len(stack)-1]
		made, err := c.checkDelta(f, top, h.kind)
		if err != nil {
			return err
		}
		stack = c.pushChildren(stack, top.place, made)
	}
	return nil
}

func (c *checker) pushChildren(stack []pending, base int32, content []byte) []pending {
	for _, child := range c.children[base] {
		stack = append(stack, pending{child, content})
	}
	return stack
}

func (c *checker) checkDelta(f *inflater, p pending, kind int) ([]byte, error) {
	place := int(p.place)
	h, err := c.open(f, place)
	if err != nil {
		return nil, err
	}
	delta, err := f.bytes(h.size)
	if err != nil {
		return nil, c.fault(place, err)
	}
	made, err := applyDelta(p.base, delta)
	if err != nil {
		return nil, c.fault(place, err)
	}
	if err := c.checkContent(f, place, kind, made); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.resolved++
	c.mu.Unlock()
	c.read(c.end(place) - c.start(place))
	return made, nil
}

// countDeltas finds deltas that rest on one another in a circle: no whole object led to them.
func (c *checker) countDeltas() error {
	deltas := 0
	for _, base := range c.bases {
		if base != whole {
			deltas++
		}
	}
	if c.resolved != deltas {
		return corrupt("%d deltas rest on no whole object", deltas-c.resolved)
	}
	return nil
}
