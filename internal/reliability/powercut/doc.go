// Package powercut cuts the power of real file systems, as far as software can.
//
// An image in a file is mounted, the real command works on it, and then the power fails:
// ext4 and xfs are told to shut down without flushing their journal, with an ioctl made
// for such tests; of any file system, btrfs among them, the image is copied while it is
// mounted and everybody stands still, and the copy is what a machine would find that
// lost its power then. What comes back is mounted again, judged and taken care of.
package powercut
