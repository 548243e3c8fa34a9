// Package surroundings runs the real command where it is not at home: as other users,
// under odd umasks, among things planted in its place, in pid namespaces that reuse a
// pid, beside owners that stand still, and on file systems that are full, out of
// inodes, read-only or taken away.
package surroundings
