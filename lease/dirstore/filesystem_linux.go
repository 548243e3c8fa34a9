package dirstore

import (
	"fmt"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
)

type fileSystemKind struct {
	magic uint32 // of statfs(2)
	name  string
	reach Reach
}

// fileSystemKinds is searched and no map, which every start of a program would fill.
var fileSystemKinds = []fileSystemKind{
	{unix.EXT4_SUPER_MAGIC, "ext4", Local}, // ext2 and ext3 too
	{unix.XFS_SUPER_MAGIC, "xfs", Local},
	{unix.BTRFS_SUPER_MAGIC, "btrfs", Local},
	{unix.F2FS_SUPER_MAGIC, "f2fs", Local},
	{unix.TMPFS_MAGIC, "tmpfs", Local},
	{unix.RAMFS_MAGIC, "ramfs", Local},
	{unix.OVERLAYFS_SUPER_MAGIC, "overlayfs", Local},
	{unix.REISERFS_SUPER_MAGIC, "reiserfs", Local},
	{unix.NILFS_SUPER_MAGIC, "nilfs2", Local},
	{unix.ECRYPTFS_SUPER_MAGIC, "ecryptfs", Local},
	{unix.SQUASHFS_MAGIC, "squashfs", Local},
	{unix.ISOFS_SUPER_MAGIC, "iso9660", Local},
	{unix.EROFS_SUPER_MAGIC_V1, "erofs", Local},
	{unix.MSDOS_SUPER_MAGIC, "vfat", Local},
	{unix.EXFAT_SUPER_MAGIC, "exfat", Local},
	{0x2fc12fc1, "zfs", Local},
	{0xca451a4e, "bcachefs", Local},
	{0x3153464a, "jfs", Local},
	{0x7366746e, "ntfs3", Local},

	{unix.NFS_SUPER_MAGIC, "nfs", Network},
	{unix.SMB_SUPER_MAGIC, "smb", Network},
	{unix.CIFS_SUPER_MAGIC, "cifs", Network},
	{unix.SMB2_SUPER_MAGIC, "smb2", Network},
	{unix.V9FS_MAGIC, "9p", Network},
	{unix.CEPH_SUPER_MAGIC, "ceph", Network},
	{unix.AFS_SUPER_MAGIC, "afs", Network},
	{unix.AFS_FS_MAGIC, "afs", Network},
	{unix.CODA_SUPER_MAGIC, "coda", Network},
	{unix.OCFS2_SUPER_MAGIC, "ocfs2", Network},
	{0x01161970, "gfs2", Network},
	{0x0bd00bd0, "lustre", Network},
	{0x47504653, "gpfs", Network},
	{0x786f4256, "vboxsf", Network},

	{unix.FUSE_SUPER_MAGIC, "fuse", Unknown},
}

func kindOfFileSystem(magic uint32) fileSystemKind {
	for _, k := range fileSystemKinds {
		if k.magic == magic {
			return k
		}
	}
	return fileSystemKind{magic, fmt.Sprintf("of type %#x", magic), Unknown}
}

func statFileSystem(path string) (FileSystem, error) {
	var st unix.Statfs_t
	if err := durable.Retry(func() error { return unix.Statfs(path, &st) }); err != nil {
		return FileSystem{}, err
	}
	kind := kindOfFileSystem(uint32(st.Type))
	return FileSystem{
		Name:        kind.name,
		Reach:       kind.reach,
		ReadOnly:    st.Flags&unix.ST_RDONLY != 0,
		FreeBytes:   st.Bavail * uint64(st.Bsize),
		FreeInodes:  st.Ffree,
		TotalInodes: st.Files,
	}, nil
}
