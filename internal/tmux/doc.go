// Package tmux asks tmux servers which sessions live, and interrupts and ends them.
//
// Vocabulary. A server is named by its socket. The default server is the one that `tmux` without options reaches; the
// surrounding server is the one named by TMUX, which tmux sets for what runs inside it. Servers elsewhere (tmux -L, tmux
// -S, another TMUX_TMPDIR) are found by their processes: those of the effective user in /proc that run tmux and listen. A
// session name is as its host gave it to `tmux new-session -s`; tmux keeps it spelled a little differently. A [Session] is
// one that was found. The processes of its panes are the program of each, what that started, and what shares its
// terminal's session, orphans included.
//
// Guarantees. A name is compared, byte for byte, and never given to tmux, which would take some for options, patterns or
// parts of a target. Not having been able to ask is an error, never a no: a server that is seen and cannot be asked is
// one, be it that it does not answer, that its socket was removed, or that it runs in another mount namespace or root. No
// server is started, and none is waited for longer than a few seconds. What is done to a found session is done to that
// one or to none: by tmux's own id, which a server gives once, and by a server that compares itself with the one that
// was found in the same step. Destroyed means that the processes of its panes are gone, each by pid and start.
//
// Non-guarantees. Other users' servers are not asked, except the surrounding one. What /proc does not show is not found: a
// server in a pid namespace outside ours, or one that hidepid hides even from its own user (tmux installed setgid), and
// neither is one whose program has been renamed and that does not call itself "tmux: server". Asking makes tmux create its
// empty socket directory, as every tmux command does. Elsewhere than on Linux only the default and the surrounding server
// are asked, and a living one whose socket was removed looks like no server; nothing can be destroyed there.
//
// A process that left the terminal's session (setsid) and whose parents have ended is none of the panes'. Whether a
// program heeds Ctrl-C is its own affair.
package tmux
