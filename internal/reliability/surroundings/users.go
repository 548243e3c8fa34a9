package surroundings

import (
	"os"

	"holdfast/internal/reliability/lab"
)

// nobody runs a command as a user who is nobody.
var nobody = []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"}

// umasks: modes do not depend on the umask.
func umasks(v *visit) {
	for _, mask := range []string{"000", "777", "077", "022"} {
		program := []string{"sh", "-c", "umask " + mask + `; exec "$0" "$@"`}
		v.expect([]int{0}, program, acquireAndRelease...)
		v.sound()
		v.must(os.RemoveAll(v.store()))
	}
}

// anotherUser: a store is its owner's, a viewer without rights never says that
// somebody is dead, and root does not run there.
func anotherUser(v *visit) {
	if !v.must(os.Chown(v.dir, 65534, 65534)) {
		return
	}
	v.expect([]int{0}, nobody, acquireAndRelease...)
	v.sound()
	v.expect([]int{77}, nil, acquireAndRelease...) // root is refused
	o := v.own(nobody)
	if o == nil {
		return
	}
	other := append([]string{}, nobody...)
	other[1], other[2] = "--reuid=65533", "--regid=65533"
	v.expect([]int{69, 77}, other, "inspect", lab.Key)
	v.expect([]int{69, 77}, other, acquireAndRelease...)
	v.expectState("held") // root looks as the owner of the store
	if code := o.end(); code != 0 {
		v.fault("the owner ends with %d: %s", code, o.stderr)
	}
	v.expectState("idle")
}
