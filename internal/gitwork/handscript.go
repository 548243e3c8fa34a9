package gitwork

// HandScript restores captured evidence with nothing but sh, git, tar and zstd: `sh SCRIPT EVIDENCE NEW`. It gives
// back what Restore does, but for modification times and for modes beyond the executable bit of clean files, which
// are in worktree.jsonl. Hooks and the original configuration stay in the evidence.
const HandScript = `# sh restore.sh EVIDENCE NEW
set -eu
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
evidence=$(realpath "$1"); mkdir -p "$2"; new=$(realpath "$2")
[ ! -f "$evidence/MANIFEST.sha256" ] || (cd "$evidence" && sha256sum -c --quiet MANIFEST.sha256)

one() (
  git=$1/git; cd "$2"
  format=$(git config --file "$git/config.safe" extensions.objectformat || echo sha1)
  git init -q --object-format="$format" --template= .
  cp "$git/config.safe" .git/config
  # what was cut off before the objects, the objects before what refers to them
  tar --zstd -xf "$git/operation.tar.zst" -C .git shallow 2>/dev/null || true
  if [ -f "$git/objects.tar.zst" ]; then tar --zstd -xf "$git/objects.tar.zst" -C .git/objects
  elif [ -f "$git/history.bundle" ]; then git bundle unbundle "$git/history.bundle" >/dev/null; fi
  # HEAD, references, logs, stashes, operation in progress, index
  rm .git/HEAD; tar --zstd -xpf "$git/operation.tar.zst" -C .git
  for i in "$git"/index "$git"/sharedindex.*; do [ ! -f "$i" ] || cp -p "$i" .git/; done
  # clean files, byte for byte: no attribute may change them
  mkdir -p .git/info
  [ ! -f .git/info/attributes ] || mv .git/info/attributes .git/info/attributes.kept
  echo '* -filter -text -eol -ident -working-tree-encoding' > .git/info/attributes
  [ ! -s "$git/clean.z" ] || git checkout-index -f -z --ignore-skip-worktree-bits --stdin < "$git/clean.z"
  [ ! -f "$git/index" ] || cp -p "$git/index" .git/
  rm .git/info/attributes
  [ ! -f .git/info/attributes.kept ] || mv .git/info/attributes.kept .git/info/attributes
  # everything else; directories last, since they may not be writable
  tar --zstd -xpf "$git/worktree.tar.zst"
  [ ! -f "$git/ignored.tar.zst" ] || tar --zstd -xpf "$git/ignored.tar.zst" --delay-directory-restore
  tar --zstd -xpf "$git/untracked.tar.zst" --delay-directory-restore
  for inner in "$1"/nested/*; do
    [ -f "$inner/path" ] || continue
    path=$(cat "$inner/path"; echo x); path=${path%x}
    mkdir -p "./$path"; one "$inner" "$2/$path"
  done
)
one "$evidence" "$new"
`
