# Kinds of repository. Each section is a script that builds one in an empty directory, $D; a line "### NAME: WHY"
# begins it and "# want:" says what is to be found: what is not named is 0 or empty. TOP is the working tree (repo
# unless said otherwise). The driver puts prelude first.

### prelude: words that the sections use
# base DIR makes a repository with two commits of three files. It is a copy of one made before, if $BASE is that.
base() { if [ -d "${BASE:-}" ] && [ -z "${GIT_DEFAULT_HASH:-}" ]; then cp -a "$BASE" "$1"; git -C "$1" update-index -q --refresh; else first "$1"; fi; }
first() { git init -q --template= "$1"; (cd "$1"; mkdir .git/info; say a one; say b two; mkdir d; say d/c three; git add .; git commit -qm first; say a more; git commit -qam second); }
say() { printf '%s\n' "$2" > "$1"; }
# evil NAME makes a program that leaves a mark, and prints its path. cat... pass their input on, file... the file named.
evil() { case $1 in cat*) then='exec cat';; file*) then='cat "$1"';; *) then=:;; esac; printf '#!/bin/sh\n: > "%s/ran.%s"\n%s\n' "$D" "$1" "$then" > "$D/evil-$1"; chmod +x "$D/evil-$1"; printf %s "$D/evil-$1"; }

### normal: a commit, a staged, an unstaged and an untracked file
# want: staged=1 unstaged=1 untracked=1 unpushed=2 clean=2 changed=1
base repo; cd repo; say b staged; git add b; say a unstaged; say new file

### clean: nothing to lose
# want: clean=3
base up; git clone -q up repo

### empty: no commit, no file
# want: objects=none
git init -q repo

### unborn: staged blobs, no commit
# want: staged=2 untracked=1 objects=bundle clean=2
git init -q repo; cd repo; say a one; say b two; git add a b; say c three

### detached: work on no branch
# want: unpushed=3 clean=3
base repo; cd repo; git checkout -q --detach; say a loose; git commit -qam loose

### pushed: some commits are at the remote, some are not
# want: unpushed=2 clean=4
base up; git clone -q up repo; cd repo; say n 1; git add n; git commit -qm n; git checkout -qb side; say n 2; git commit -qam n2

### shallow: history that was cut off
# want: unstaged=1 clean=2 changed=1
base up; git clone -q --depth=1 "file://$D/up" repo; cd repo; say a changed

### partial: blobs that were never fetched
# want: untracked=1 objects=files changed=3
base up; git -C up config uploadpack.allowFilter true
git clone -q --filter=blob:none "file://$D/up" repo; cd repo; git config core.sshCommand "$(evil ssh)"; git config remote.origin.url "ssh://nowhere/x"; say new file

### sha256: the other object format
# want: staged=1 stashes=1 unpushed=2 clean=3
GIT_DEFAULT_HASH=sha256 base repo; cd repo; say a stash; git stash -q; say b staged; git add b

### splitindex: an index in two files
# want: staged=1 unstaged=1 unpushed=2 clean=2 changed=1
base repo; cd repo; git update-index --split-index; say b s; git add b; say a x

### sparse: part of the tree is not checked out
# want: unpushed=3 untracked=1 clean=3
base repo; cd repo; mkdir e; say e/f x; git add .; git commit -qm e; git sparse-checkout set --cone d; say d/new y

### sparseindex: directories in the index
# want: unpushed=3 clean=3 staged=1
base repo; cd repo; mkdir e; say e/f x; git add .; git commit -qm e; git sparse-checkout set --cone --sparse-index d; say d/c y; git add d/c

### submodule: clean
# want: unpushed=3 clean=4 nested=1
base up; base repo; cd repo; git submodule -q add "$D/up" sub; git commit -qm sub

### submoduledirty: another commit, a change and a new file inside
# want: unpushed=3 unstaged=1 clean=4 nested=1 inner=staged:1,unstaged:1,untracked:1,unpushed:1
base up; base repo; cd repo; git submodule -q add "$D/up" sub; git commit -qm sub
cd sub; say b committed; git commit -qam inner; say b staged; git add b; say a unstaged; say new x

### submodulenested: one in one, with a stash
# want: unpushed=3 clean=4 nested=1 inner=stashes:1
base deep; base up; (cd up; git submodule -q add "$D/deep" deep; git commit -qm deep)
base repo; cd repo; git submodule -q add "$D/up" sub; git commit -qm sub; git submodule -q update --init --recursive; cd sub; say a x; git stash -q; cd deep; say new x

### submoduleabsent: its repository is there, its files are not
# want: unpushed=3 clean=4 omitted=submodules
base up; base repo; cd repo; git submodule -q add "$D/up" sub; git commit -qm sub; git submodule -q deinit -f sub

### embedded: a repository that is nobody's submodule
# want: unpushed=2 clean=3 nested=1 inner=untracked:1,unpushed:2
base repo; cd repo; base tools; say tools/new x

### embeddedtracked: files of the outer repository below a git directory that is none
# want: unpushed=3 clean=3 untracked=1
base repo; cd repo; git commit -q --allow-empty -m x; mkdir -p odd/.git; say odd/.git/HEAD nonsense

### worktree: a linked worktree
# want: TOP=wt staged=1 unstaged=1 untracked=1 unpushed=3 clean=2 changed=1
base repo; cd repo; git worktree add -q ../wt; cd ../wt; git commit -q --allow-empty -m here; say a x; say b y; git add b; say new z; git config extensions.worktreeConfig true; git config --worktree core.x y

### worktreemain: the main one, with a linked one inside, another session's
# want: unpushed=2 clean=3 nested=1 omitted=worktrees
base repo; cd repo; git worktree add -q inside; say inside/new x

### worktreebare: a linked worktree of a bare repository
# want: TOP=wt untracked=1 unpushed=2 clean=3
base up; git clone -q --bare up bare; git -C bare worktree add -q "$D/wt"; say wt/new x

### worktreemerge: a merge stopped in a linked worktree, and a bisection
# want: TOP=wt unstaged=1 conflicts=1 unpushed=4 ops=merge,bisect clean=2 changed=1
base repo; cd repo; git checkout -qb other; say a other; git commit -qam other; git worktree add -q ../wt main; cd ../wt; say a ours; git commit -qam ours; git bisect start -q; git merge -q other || true

### alternates: objects borrowed from a neighbour
# want: unpushed=1 clean=4
base up; git clone -q -s up repo; cd repo; say n 1; git add n; git commit -qm n

### alternatesrelative: by a path relative to the object directory, through another borrower
# want: unpushed=2 clean=3
base up; git clone -q -s up mid; echo ../../../up/.git/objects > mid/.git/objects/info/alternates
git init -q repo; echo ../../../mid/.git/objects > repo/.git/objects/info/alternates; cd repo; git update-ref refs/heads/main "$(git -C ../up rev-parse main)"; git reset -q --hard

### merge: stopped at a conflict
# want: unstaged=1 conflicts=1 unpushed=4 ops=merge clean=2 changed=1
base repo; cd repo; git checkout -qb other; say a other; git commit -qam other; git checkout -q main; say a ours; git commit -qam ours; git merge -q other || true

### mergeclean: stopped before the commit
# want: staged=1 unpushed=4 ops=merge clean=3
base repo; cd repo; git checkout -qb other; say b other; git commit -qam other; git checkout -q main; say a ours; git commit -qam ours; git merge -q --no-commit --no-ff other

### rebase: stopped at a conflict
# want: unstaged=1 conflicts=1 unpushed=6 ops=rebase clean=2 changed=1
base repo; cd repo; git checkout -qb other; say b 1; git commit -qam x; say a other; git commit -qam other; git checkout -q main; say a ours; git commit -qam ours; git checkout -q other; git rebase -q main || true

### rebaseedit: an interactive one, stopped to edit, with an autostash
# want: unpushed=3 ops=rebase clean=3
base repo; cd repo; say b 1; git commit -qam third; say d/c dirty; git stash list; GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i --autostash HEAD~2

### rebaseapply: by the older machinery
# want: unstaged=1 conflicts=1 unpushed=4 ops=rebase clean=2 changed=1
base repo; cd repo; git checkout -qb other; say a other; git commit -qam other; git checkout -q main; say a ours; git commit -qam ours; git checkout -q other; git rebase -q --apply main || true

### cherrypick: a conflict in the first of two
# want: unstaged=1 conflicts=1 unpushed=5 ops=cherry-pick clean=2 changed=1
base repo; cd repo; git checkout -qb other; say a other; git commit -qam 1; say b other; git commit -qam 2; git checkout -q main; say a ours; git commit -qam ours; git cherry-pick main..other || true

### cherrypickbetween: two picks are left and none is in progress
# want: unpushed=5 ops=cherry-pick clean=3
base repo; cd repo; git checkout -qb other; say a other; git commit -qam 1; say b other; git commit -qam 2; git checkout -q main; say a ours; git commit -qam ours; git cherry-pick main..other || true; git reset -q --hard; rm -f .git/CHERRY_PICK_HEAD; test -f .git/sequencer/todo || { mkdir .git/sequencer; echo "pick $(git rev-parse other) 2" > .git/sequencer/todo; git rev-parse HEAD > .git/sequencer/head; }

### revert: a conflict
# want: unstaged=1 conflicts=1 unpushed=3 ops=revert clean=2 changed=1
base repo; cd repo; say a third; git commit -qam third; git revert --no-edit HEAD~1 || true

### am: a patch that does not apply
# want: unpushed=3 ops=am clean=3
base repo; cd repo; say a third; git commit -qam third; git format-patch -q -1 --stdout > ../p; git reset -q --hard HEAD~1; say a ours; git commit -qam ours; git am -q ../p || true

### bisect: half-way
# want: unpushed=4 ops=bisect clean=3
base repo; cd repo; say b 3; git commit -qam 3; say b 4; git commit -qam 4; git bisect start -q HEAD HEAD~3

### conflicts: both added, both deleted, deleted by one, and one renamed on both sides
# want: unstaged=5 conflicts=5 staged=1 unpushed=4 ops=merge clean=1 changed=4
base repo; cd repo; git checkout -qb other; git mv b b1; say n other; git rm -q d/c; git add .; git commit -qm other; git checkout -q main; git mv b b2; say n ours; say d/c changed; git add .; git commit -qm ours; git merge -q other || true; say a s; git add a

### rerere: recorded resolutions and a resolved conflict that can be undone
# want: staged=1 unpushed=4 ops=merge clean=3
base repo; cd repo; git config rerere.enabled true; git checkout -qb other; say a other; git commit -qam other; git checkout -q main; say a ours; git commit -qam ours; git merge -q other || true; say a both; git add a

### stashes: three, one with untracked files, one dropped
# want: stashes=2 unpushed=2 clean=3
base repo; cd repo; say a 1; git stash -q; say b 2; say u u; git stash -q -u; say a 3; git add a; say a 4; git stash -q --keep-index; git reset -q --hard; git stash drop -q stash@{1}

### reflogonly: commits that only a reflog knows, a deleted branch, amended work
# want: unpushed=2 clean=3
base repo; cd repo; git checkout -qb gone; say a lost; git commit -qam lost; git commit -q --amend -m again; git checkout -q main; git branch -qD gone

### overwritten: staged, then staged again: the first blob is nobody's but loose
# want: staged=1 unpushed=2 clean=3
base repo; cd repo; say a draft; git add a; say a final; git add a

### intenttoadd: in the index without content, and removed from it only
# want: staged=1 unstaged=1 untracked=1 unpushed=2 clean=2 changed=1
base repo; cd repo; say n x; git add -N n; git rm -q --cached b

### hidden: changes behind the flags that hide them
# want: unstaged=3 unpushed=2 changed=2
base repo; cd repo; git update-index --assume-unchanged a d/c; git update-index --skip-worktree b; say a hidden; say b hidden; rm d/c

### lineendings: bytes that a checkout would not give back
# want: staged=1 unpushed=4 clean=5 changed=2
base repo; cd repo; printf '*.txt text eol=crlf\n*.id ident\n' > .gitattributes; printf 'a\r\nb\r\n' > t.txt; printf 'lf\n' > u.txt; echo '$Id$' > v.id; git add .; git commit -qm eol; rm v.id; git checkout -q v.id; git config core.autocrlf input; git commit -q --allow-empty -m x; printf 'lf\n' > b; git add b

### modes: modes, links, empty directories, a FIFO and odd times
# want: unstaged=2 untracked=4 unpushed=3 clean=3 changed=1
base repo; cd repo; ln -s a link; say x x; chmod +x x; git add .; git commit -qm more; chmod +x b; rm link; ln -s elsewhere link; mkdir -p empty/er; mkfifo pipe; ln -s /etc/passwd out; ln -s empty todir; say secret s; chmod 600 secret; chmod 4755 x; say big b; touch -d '1970-01-01 00:00:01.123456789Z' big; touch -h -d '2001-02-03 04:05:06.7Z' link; chmod 500 empty; chmod 600 a; touch -d '2040-01-01' a

### names: like options, with newlines, quotes and bytes that are not UTF-8
# want: unstaged=2 untracked=5 unpushed=3 clean=5 changed=2
base repo; cd repo; say ./-rf x; say './--help' y; say 'new
line' z; say "$(printf 'caf\351')" l; git add .; git commit -qm n; say ./-rf changed; say "$(printf 'caf\351')" changed; say "$(printf 'raw\377')" u; say 'q"uo\te' u; say ' ' u; say './--upload-pack=x' u; mkdir -- '-o'; say './-o/:(exclude)x' u

### switched: a file where a directory was, and the other way round
# want: unstaged=2 untracked=2 unpushed=2 clean=1
base repo; cd repo; rm -r d; say d file; rm a; mkdir a; say a/in x

### ignored: what git ignores, tracked all the same, by a list of its own
# want: untracked=1 ignored=4 unpushed=3 clean=5
base repo; cd repo; printf '*.log\nbuild/\n' > .gitignore; say kept.log x; git add -f .gitignore kept.log; git commit -qm i; say x.log x; mkdir -p build/deep; say build/deep/o x; say build/p x; echo '*.tmp' >> .git/info/exclude; say y.tmp x; say new x

### packed: references, reflogs and objects after housekeeping, with every kind of index for them
# want: stashes=1 unpushed=3 unstaged=1 clean=2 changed=1
base repo; cd repo; git tag -a -m v1 v1; git notes add -m note; say a s; git stash -q; for i in 1 2 3; do for n in a b c d e f g h i j k l m n o p; do echo "line $n of $i, long enough to be worth a delta against the other one" ; done > b; git add b; git commit -q --amend -m "b$i"; done; say a third; git commit -qam third; git gc -q; git multi-pack-index write; git repack -qadb; git pack-refs --all; git commit-graph write --reachable; say a dirty

### replaced: a replacement and a graft, which must not hide what is there
# want: unpushed=3 clean=3
base repo; cd repo; say a 3; git commit -qam 3; git replace --graft HEAD; mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts

### separate: the git directory lies elsewhere
# want: untracked=1 unpushed=2 clean=3
base repo; git init -q --separate-git-dir="$D/far away" repo; say repo/new x

### symlinked: .git is a symbolic link
# want: untracked=1 unpushed=2 clean=3
base repo; mv repo/.git real; ln -s ../real repo/.git; say repo/new x

### headlink: HEAD is a symbolic link, as long ago
# want: unpushed=2 clean=3
base repo; cd repo; rm .git/HEAD; ln -s refs/heads/main .git/HEAD

### linkedfiles: files of the git directory are symbolic links to elsewhere
# want: staged=1 ignored=1 unpushed=2 clean=3
base repo; cd repo; say a staged; git add a; echo '*.tmp' > ../exclude; rm -f .git/info/exclude; ln -s "$D/exclude" .git/info/exclude; say y.tmp x; mv .git/refs/heads/main ../main; ln -s "$D/main" .git/refs/heads/main; mv .git/index ../index; ln -s "$D/index" .git/index; touch -d 2020-01-01 b

### lfs: a filter's pointer and its store of content
# want: unpushed=3 clean=4 changed=1
base repo; cd repo; git config filter.lfs.clean 'cat >/dev/null; echo pointer'; git config filter.lfs.smudge 'cat >/dev/null; echo content'; echo '*.bin filter=lfs -text' > .gitattributes; echo content > x.bin; touch -d 2026-01-01 x.bin; git add .; git commit -qm lfs; mkdir -p .git/lfs/objects/ab; say .git/lfs/objects/ab/abc unpushed

### filters: programs for content
# want: unstaged=3 unpushed=3 clean=4 changed=3
# control: git diff >/dev/null; git checkout -q -f .
# ran: catclean catsmudge catprocess
base repo; cd repo; printf '*.c filter=one\n*.p filter=two\n*.r filter=one -text\n' > .gitattributes; say x.c 1; say x.p 1; say x.r 1; git add .; git commit -qm f
git config filter.one.clean "$(evil catclean)"; git config filter.one.smudge "$(evil catsmudge)"; git config filter.one.required true; git config filter.two.process "$(evil catprocess)"; git config filter.two.clean "$(evil catclean)"; say x.c 2; say x.p 2; say x.r 2

### drivers: programs for differences
# want: staged=1 unstaged=1 unpushed=3 clean=5 changed=1
# control: git diff >/dev/null; git diff --cached >/dev/null; git -c diff.external= show --textconv HEAD >/dev/null
# ran: filetextconv command
base repo; cd repo; printf '*.t diff=one\n*.u diff=two merge=three\n' > .gitattributes; say x.t 1; say x.u 1; git add .; git commit -qm f
git config diff.one.textconv "$(evil filetextconv)"; git config diff.two.command "$(evil command)"; git config merge.three.driver "$(evil driver)"; git config diff.external "$(evil external)"; say x.t 2; say x.u 2; git add x.u

### hooks: every one of them
# want: staged=1 unpushed=2 clean=3
# control: git checkout -q -b other; git -c core.fsmonitor=.git/hooks/fsmonitor status >/dev/null
# ran: hook.post-checkout hook.reference-transaction
base repo; cd repo; say b s; git add b; mkdir -p .git/hooks; for h in post-checkout post-index-change reference-transaction pre-commit post-commit pre-auto-gc fsmonitor-watchman push-to-checkout update post-rewrite; do printf '#!/bin/sh\n: > "%s/ran.hook.%s"\n' "$D" $h > .git/hooks/$h; chmod +x .git/hooks/$h; done; git config core.hooksPath .git/hooks

### fsmonitor: a program that says what changed, and an index that believes it
# want: unstaged=1 unpushed=2 clean=2 changed=1
# control: git status >/dev/null
# ran: fsmonitor
base repo; cd repo; git config core.fsmonitor "$(evil fsmonitor)"; git update-index --fsmonitor; git status -s; say a x

### programs: everything else that a configuration can name
# want: unpushed=3 unstaged=1 clean=2 changed=1
# control: git log --show-signature -1 >/dev/null
# ran: gpg
base repo; cd repo; git config core.sshCommand "$(evil ssh)"; git config core.gitProxy "$(evil proxy)"; git config core.askPass "$(evil askpass)"; git config credential.helper "!$(evil credential)"; git config core.pager "$(evil pager)"; git config core.editor "$(evil editor)"; git config alias.status "!$(evil alias)"; git config gpg.program "$(evil gpg)"; git config log.showSignature true; git config core.alternateRefsCommand "$(evil alternates)"; git config uploadpack.packObjectsHook "$(evil pack)"; git config pager.log "$(evil pager)"; git config sequence.editor "$(evil editor)"; git config browser.x.cmd "$(evil browser)"; git config remote.origin.uploadpack "$(evil uploadpack)"; git config remote.origin.url "ext::$(evil ext)"; git config remote.origin.vcs evil; git config submodule.x.update "!$(evil update)"; git config trailer.x.command "$(evil trailer)"
git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----' | git hash-object -w -t commit --stdin > ../signed; git update-ref HEAD "$(cat ../signed)"; git reset -q --hard; git commit -q --allow-empty -m x; git update-ref HEAD "$(cat ../signed)"; git commit -q --allow-empty -m top; git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----' | git hash-object -w -t commit --stdin > ../signed; git update-ref HEAD "$(cat ../signed)"; say a x

### includes: configuration that leads elsewhere, and a working tree that is not there
# want: unstaged=1 unpushed=2 clean=2 changed=1
# control: git -C .. --git-dir=repo/.git --work-tree=repo status >/dev/null
# ran: fsmonitor
base repo; cd repo; printf '[core]\nfsmonitor = "%s"\n' "$(evil fsmonitor)" > ../included; git config include.path "$D/included"; git config core.worktree /nonexistent; say a x

### insidesubmodule: the submodule's own programs
# want: unpushed=3 clean=4 nested=1 inner=unstaged:1
# control: git status >/dev/null; git diff >/dev/null
# ran: fsmonitor catclean
base up; base repo; cd repo; git submodule -q add "$D/up" sub; git commit -qm sub; cd sub; git config core.fsmonitor "$(evil fsmonitor)"; git config filter.x.clean "$(evil catclean)"; mkdir -p "$(git rev-parse --git-dir)/info"; echo '* filter=x' > "$(git rev-parse --git-dir)/info/attributes"; say a x

### looseobject: a damaged loose object
# want: unpushed=2 objects=files changed=3
base repo; cd repo; f=$(git rev-parse HEAD:b | sed 's,^..,.git/objects/&/,'); chmod +w "$f"; printf 'garbage in the middle of it' | dd of="$f" bs=1 seek=4 conv=notrunc 2>/dev/null

### emptyobject: a loose object without bytes, as a crash leaves it
# want: unpushed=2 objects=files changed=3
base repo; cd repo; f=$(git rev-parse HEAD^:a | sed 's,^..,.git/objects/&/,'); chmod +w "$f"; : > "$f"

### forgedobject: a loose object, sound in itself, under the name of another
# want: unpushed=2 objects=files changed=3
base repo; cd repo; f=$(git rev-parse HEAD:b | sed 's,^..,.git/objects/&/,'); g=$(git rev-parse HEAD:d/c | sed 's,^..,.git/objects/&/,'); cp -f "$g" "$f"

### badpack: a pack that does not match its index any more
# want: unpushed=2 objects=files changed=3
base repo; cd repo; git gc -q; f=$(ls .git/objects/pack/*.pack); chmod +w "$f"; printf XX | dd of="$f" bs=1 seek=$(($(wc -c < "$f") - 60)) conv=notrunc 2>/dev/null

### missingcommit: a branch whose commit is gone
# want: damaged=1 notes=1 objects=files changed=3
base repo; cd repo; git branch lost HEAD^; git checkout -q --detach; rm ".git/objects/$(git rev-parse main | sed 's,^..,&/,')"

### badindex: an index that is none
# want: damaged=1 untracked=3 notes=1 objects=bundle
base repo; cd repo; printf 'not an index' > .git/index

### badconfig: a configuration that git cannot parse
# want: unstaged=1 notes=1 unpushed=2 clean=2 changed=1
base repo; cd repo; say a x; printf '[core\nbroken' >> .git/config

### locked: the lock of an index that a killed git left behind
# want: unstaged=1 unpushed=2 clean=2 changed=1
base repo; cd repo; say a x; cp .git/index .git/index.lock; : > .git/HEAD.lock

### indexv4: compressed path names
# want: unstaged=1 unpushed=2 clean=2 changed=1
base repo; cd repo; git update-index --index-version 4; say a x
