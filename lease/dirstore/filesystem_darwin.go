package dirstore

import (
	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
)

func statFileSystem(path string) (FileSystem, error) {
	var st unix.Statfs_t
	if err := durable.Retry(func() error { return unix.Statfs(path, &st) }); err != nil {
		return FileSystem{}, err
	}
	reach := Network
	if st.Flags&unix.MNT_LOCAL != 0 {
		reach = Local
	}
	return FileSystem{
		Name:        unix.ByteSliceToString(st.Fstypename[:]),
		Reach:       reach,
		ReadOnly:    st.Flags&unix.MNT_RDONLY != 0,
		FreeBytes:   st.Bavail * uint64(st.Bsize),
		FreeInodes:  st.Ffree,
		TotalInodes: st.Files,
	}, nil
}
