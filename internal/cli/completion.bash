# Completion of session for bash: source <(session completion bash)
# What was typed is handed over as words and never evaluated.
_session_complete() {
  local word="${COMP_WORDS[COMP_CWORD]}" line
  local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  [[ $word == -* ]] && words+=("$word")
  COMPREPLY=()
  while IFS= read -r line; do
    line="${line%%:*}"
    [[ -n $line && $line == "$word"* ]] && COMPREPLY+=("$line")
  done < <("$1" "${words[@]}" --generate-shell-completion 2>/dev/null)
}
complete -o bashdefault -o default -F _session_complete session
