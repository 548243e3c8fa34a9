package gitwork

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// maxExcludes is more than any list of patterns that is worth reading.
const maxExcludes = 1 << 20

// copyExcludes copies the patterns of what this user ignores everywhere, and returns where. Without them, files that
// git leaves alone would count as untracked.
func (s *shadow) copyExcludes(ctx context.Context) (string, error) {
	to := filepath.Join(s.scratch, "excludes")
	text, err := readSource(s.excludesFile(ctx), maxExcludes)
	if err != nil {
		text = nil // as for git: a list that is not there, or not readable, ignores nothing
	}
	return to, os.WriteFile(to, text, 0o600)
}

// excludesFile returns what core.excludesFile names, or git's default for it.
func (s *shadow) excludesFile(ctx context.Context) string {
	if file := s.excludesIn(ctx, "--file", s.asideConfig()); file != "" {
		return file
	}
	if file := s.excludesIn(ctx, "--global", "--includes"); file != "" {
		return file
	}
	if home, err := os.UserConfigDir(); err == nil {
		return filepath.Join(home, "git", "ignore")
	}
	return ""
}

// excludesIn asks for the path in the user's own environment, which "~" in it refers to. Nothing of the source is in
// force: a copied file is data here.
func (s *shadow) excludesIn(ctx context.Context, where ...string) string {
	args := append(append([]string{"config"}, where...), "--type=path", "--get", "core.excludesfile")
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.git.Path, args...)
	cmd.Dir = s.home
	cmd.Env = append(s.environ(), "HOME="+os.Getenv("HOME"), "XDG_CONFIG_HOME="+os.Getenv("XDG_CONFIG_HOME"), "GIT_CONFIG_GLOBAL="+userConfig())
	out, err := cmd.Output()
	file := strings.TrimSuffix(string(out), "\n")
	if err != nil || !filepath.IsAbs(file) {
		return "" // not set
	}
	return file
}

// userConfig returns what GIT_CONFIG_GLOBAL is to be for git to read the user's own configuration.
func userConfig() string {
	if file, set := os.LookupEnv("GIT_CONFIG_GLOBAL"); set {
		return file
	}
	for _, file := range []string{filepath.Join(os.Getenv("HOME"), ".gitconfig"), filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git", "config")} {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return os.DevNull
}
