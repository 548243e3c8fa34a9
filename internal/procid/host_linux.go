package procid

import "strings"

// machineIDFiles are tried in this order (machine-id(5); the second is older and D-Bus's own).
var machineIDFiles = []string{"/etc/machine-id", "/var/lib/dbus/machine-id"}

// machineID is empty when the machine has none, or none yet ("uninitialized" during a first boot).
func machineID() string {
	for _, file := range machineIDFiles {
		if id := readMachineID(file); id != "" {
			return id
		}
	}
	return ""
}

func readMachineID(file string) string {
	var b [256]byte
	content, err := anywhere.readPiece(file, b[:])
	id := strings.TrimSpace(string(content))
	if err != nil || id == "uninitialized" {
		return ""
	}
	return id
}

func bootID() *string {
	var b [256]byte
	content, err := anywhere.readPiece(procRoot+"/sys/kernel/random/boot_id", b[:])
	id := strings.TrimSpace(string(content))
	if err != nil || !isUUID(id) {
		return nil
	}
	return &id
}
