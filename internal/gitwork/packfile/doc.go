// Package packfile reads a git pack back and proves that it is whole: every object inflates, has the name that the
// index gives it, and names only objects that are there too.
//
// # Vocabulary
//
// A pack is a run of compressed objects, some of them deltas against others. Its [Index] maps the name of each
// object to where it begins. A [Format] is the hash that names objects. A [Span] is where a pack lies in a file that
// may have something else before it, as a bundle has.
//
// # Guarantees
//
// [Check] returning nil means that the bytes in the span are a self-contained pack of exactly the objects of the
// index, and that from any of them everything reachable is in it, except commits beyond a shallow boundary and
// submodules. It reads with as many threads as it is given and needs memory for the largest objects in delta chains,
// not for the pack.
//
// # Non-guarantees
//
// It does not judge content: a tree with a strange file name is whole. Packs with objects larger than the memory of
// the machine in delta chains cannot be checked; git writes none by itself.
package packfile
