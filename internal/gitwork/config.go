package gitwork

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/gitwork/packfile"
)

// setting is one line of a configuration.
type setting struct {
	key   string // section and name in lower case, the subsection between them as it is
	value string
	bare  bool // a key without "=", which means true
}

// sourceConfig is what the source's configuration says, the worktree's own after the common one.
type sourceConfig struct {
	settings []setting
	fault    error // why it cannot be parsed; settings is then what there is of it
}

// readConfig lets git parse copies of the configuration files as data: `--file` applies none of it.
func (s *shadow) readConfig(ctx context.Context) (sourceConfig, error) {
	var c sourceConfig
	if err := s.addConfig(ctx, &c, s.asideConfig()); err != nil {
		return c, err
	}
	if c.isTrue("extensions.worktreeconfig") {
		if err := s.addConfig(ctx, &c, s.asideWorktreeConfig()); err != nil {
			return c, err
		}
	}
	if storage := c.get("extensions.refstorage"); storage != "" && storage != "files" {
		return c, unsupported(s.source.CommonDir, fmt.Sprintf("its references are kept as a %s", storage))
	}
	return c, nil
}

func (s *shadow) addConfig(ctx context.Context, c *sourceConfig, file string) error {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lines, err := s.fields(ctx, "config", "--file", file, "--no-includes", "-z", "--list")
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		c.fault = err
	}
	for _, line := range lines {
		key, value, found := strings.Cut(line, "\n")
		c.settings = append(c.settings, setting{key, value, !found})
	}
	return nil
}

// get returns the last value of key, or "".
func (c sourceConfig) get(key string) string {
	for _, s := range slices.Backward(c.settings) {
		if s.key == key {
			return s.value
		}
	}
	return ""
}

func (c sourceConfig) isTrue(key string) bool {
	for _, s := range slices.Backward(c.settings) {
		if s.key == key {
			return s.bare || slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(s.value))
		}
	}
	return false
}

func (c sourceConfig) format() packfile.Format {
	if strings.EqualFold(c.get("extensions.objectformat"), packfile.SHA256.Name) {
		return packfile.SHA256
	}
	return packfile.SHA1
}

// known is a setting with the values of it that are let through: nil stands for any boolean, and an empty list for
// anything. Lists of them are searched, and no maps, which every start of a program would fill.
type known struct {
	key    string
	values []string
}

// plain are the settings that say how the index and the working tree are to be understood.
var plain = []known{
	{"core.filemode", nil}, {"core.ignorecase", nil}, {"core.symlinks", nil}, {"core.precomposeunicode", nil},
	{"core.trustctime", nil}, {"core.sparsecheckout", nil}, {"core.sparsecheckoutcone", nil},
	{"core.checkstat", []string{"default", "minimal"}},
	{"core.autocrlf", []string{"true", "false", "input"}},
	{"core.eol", []string{"lf", "crlf", "native"}},
}

// restored are further settings that a restored repository gets: none names a program or a file.
var restored = []known{
	{"core.logallrefupdates", []string{"true", "false", "always"}}, {"core.quotepath", nil}, {"rerere.enabled", nil},
	{"index.sparse", nil}, {"user.name", []string{}}, {"user.email", []string{}}, {"init.defaultbranch", []string{}},
	{"extensions.partialclone", []string{}}, {"push.default", []string{}},
	{"pull.rebase", []string{"true", "false", "merges"}}, {"merge.conflictstyle", []string{"merge", "diff3", "zdiff3"}},
}

// restoredIn are the names let through below a section with a subsection.
var restoredIn = []known{
	{"branch", []string{"remote", "merge", "rebase", "pushremote", "description"}},
	{"remote", []string{"url", "pushurl", "fetch", "push", "tagopt", "prune", "mirror", "promisor", "partialclonefilter"}},
	{"submodule", []string{"url", "path", "active", "branch"}},
}

func valuesOf(key string, list []known) (values []string, listed bool) {
	for _, k := range list {
		if k.key == key {
			return k.values, true
		}
	}
	return nil, false
}

// allowed reports whether a list of plain or restored settings lets s through.
func (s setting) allowed(list []known) bool {
	values, listed := valuesOf(s.key, list)
	switch {
	case !listed:
		return false
	case values == nil:
		return s.bare || slices.Contains([]string{"true", "yes", "on", "1", "false", "no", "off", "0"}, strings.ToLower(s.value))
	case len(values) == 0:
		return !s.bare
	}
	return slices.Contains(values, strings.ToLower(s.value))
}

// allowedIn reports whether s is a setting of a branch, remote or submodule that starts no program: an address with
// "::" names a helper program, one that begins with "-" an option.
func (s setting) allowedIn() bool {
	section, rest, _ := strings.Cut(s.key, ".")
	dot := strings.LastIndexByte(rest, '.')
	if names, _ := valuesOf(section, restoredIn); s.bare || dot < 0 || !slices.Contains(names, rest[dot+1:]) {
		return false
	}
	return !strings.Contains(s.value, "::") && !strings.HasPrefix(s.value, "-") && !strings.ContainsAny(s.value, "\n\r")
}

// writeConfig gives the shadow its own configuration.
func (s *shadow) writeConfig(ctx context.Context) error {
	excludes, err := s.copyExcludes(ctx)
	if err != nil {
		return err
	}
	own := append(s.base(),
		setting{key: "core.excludesfile", value: excludes}, setting{key: "core.attributesfile", value: os.DevNull},
		setting{key: "core.hookspath", value: os.DevNull}, setting{key: "core.fsmonitor", value: "false"},
		setting{key: "core.untrackedcache", value: "false"}, setting{key: "core.commitgraph", value: "false"},
		setting{key: "core.multipackindex", value: "false"}, setting{key: "core.bigfilethreshold", value: "8m"},
		setting{key: "pack.usebitmaps", value: "false"}, setting{key: "gc.auto", value: "0"},
		setting{key: "core.fsync", value: "none"}, // what lasts is fsynced by us
	)
	for _, c := range s.config.settings {
		if c.allowed(plain) {
			own = append(own, c)
		}
	}
	return os.WriteFile(filepath.Join(s.dir, "config"), formatConfig(own), 0o600)
}

// base is how a configuration of a repository with this object format begins.
func (s *shadow) base() []setting {
	if s.format.Name == packfile.SHA1.Name {
		return []setting{{key: "core.repositoryformatversion", value: "0"}, {key: "core.bare", value: "false"}}
	}
	return []setting{
		{key: "core.repositoryformatversion", value: "1"}, {key: "core.bare", value: "false"},
		{key: "extensions.objectformat", value: s.format.Name},
	}
}

// safeConfig is the configuration that a restored repository gets without trust.
func (s *shadow) safeConfig() []byte {
	safe := s.base()
	for _, c := range s.config.settings {
		if c.allowed(plain) || c.allowed(restored) || c.allowedIn() {
			safe = append(safe, c)
		}
		if c.key == "extensions.partialclone" {
			safe[0].value = "1"
		}
	}
	return formatConfig(safe)
}

// formatConfig writes settings as git reads them.
func formatConfig(all []setting) []byte {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	for _, s := range all {
		section, name, _ := strings.Cut(s.key, ".")
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			sub := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name[:dot])
			section, name = fmt.Sprintf(`%s "%s"`, section, sub), name[dot+1:]
		}
		if s.bare {
			fmt.Fprintf(&b, "[%s]\n\t%s\n", section, name)
		} else {
			fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, name, escape.Replace(s.value))
		}
	}
	return []byte(b.String())
}
