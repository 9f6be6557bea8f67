/** Shells for which there is a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Response to a script where the shell is to suggest names of files. */
export const FILES = ':files';

// Each script passes the words up to the cursor to `holdfast completion SHELL`, which prints one suggestion in each line, in
// the form that the shell inserts. No script evaluates a word or a suggestion, because names are chosen by other people.

const bash = `# bash completion for holdfast
_holdfast() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ${FILES} ]]; then
      compopt -o default 2>/dev/null
    elif [[ -n $line ]]; then
      COMPREPLY+=("$line")
    fi
  done < <(holdfast completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -F _holdfast holdfast`;

const zsh = `#compdef holdfast
_holdfast() {
  local -a lines
  lines=("\${(@f)$(holdfast completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)}")
  if [[ $lines[1] == ${FILES} ]]; then
    _files
  elif [[ -n $lines[1] ]]; then
    _describe value lines
  fi
}
if [[ $funcstack[1] == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi`;

const fish = `# fish completion for holdfast
function __holdfast_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (holdfast completion fish -- $words[2..-1] "$current" 2>/dev/null </dev/null)
    if test "$lines[1]" = ${FILES}
        __fish_complete_path "$current"
    else if test -n "$lines[1]"
        printf '%s\\n' $lines
    end
end
complete -c holdfast -f -a '(__holdfast_complete)'`;

/** The completion script of each shell. */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
