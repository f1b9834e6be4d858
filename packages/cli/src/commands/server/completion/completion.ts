// `orch completion`: scripts that let shells complete commands. They ask the hidden command `__complete`.
import { Argument, type Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";

/** Answer of `__complete`: a candidate per line, with a description after a tab, and a line `:<number>` with flags. */
const BASH = `# Completion of orch for bash: source <(orch completion bash)
_orch_complete() {
  local line="\${COMP_LINE:0:COMP_POINT}" answer each current cut flags=0
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  answer="$("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)" || return 0
  # bash completes only what follows its last break.
  cut="$current"
  [[ $COMP_WORDBREAKS == *=* && $cut == *=* ]] && cut="\${cut%"\${cut##*=}"}" || cut=""
  COMPREPLY=()
  while IFS= read -r each; do
    case "$each" in
      :*) flags="\${each#:}" ;;
      ?*) each="\${each%%$'\\t'*}"; COMPREPLY+=("\${each#"$cut"}") ;;
    esac
  done <<<"$answer"
  ((flags & 2)) && compopt -o nospace 2>/dev/null
  ((flags & 4)) || compopt -o default 2>/dev/null
  return 0
}
complete -F _orch_complete orch
`;

const ZSH = `#compdef orch
# Completion of orch for zsh: source <(orch completion zsh)
_orch_complete() {
  local line flags=0
  local -a candidates options
  for line in "\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :*) flags="\${line#:}" ;;
      ?*) line="\${line//:/\\\\:}"; candidates+=("\${line/$'\\t'/:}") ;;
    esac
  done
  (( flags & 2 )) && options=(-S '')
  if (( \${#candidates} > 0 )); then
    _describe 'orch' candidates "\${options[@]}"
  elif (( (flags & 4) == 0 )); then
    _files
  fi
}
compdef _orch_complete orch
`;

const FISH = `# Completion of orch for fish: orch completion fish | source
function __orch_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l answer ($words[1] __complete $words[2..-1] 2>/dev/null)
  set -l candidates (string match -v -r '^:\\\\d+$' -- $answer)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else if not contains -- :4 $answer
    __fish_complete_path (commandline -ct)
  end
end
complete -c orch -f -k -a '(__orch_complete)'
`;

/** kubectl runs this program for \`kubectl orch\`, and expects the same answer. */
const KUBECTL = `#!/bin/sh
# Completion of kubectl orch: orch completion kubectl > ~/.local/bin/kubectl_complete-orch; chmod +x it
exec kubectl-orch __complete "$@"
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, fish: FISH, kubectl: KUBECTL, zsh: ZSH };

export function define(command: Command, session: Session): void {
  const shell = new Argument("<shell>", "bash, zsh, fish, or kubectl for kubectl orch").choices(Object.keys(SCRIPTS));
  // The action refuses other shells, with the list of those that are known.
  shell.argParser((text) => text);
  command.addArgument(shell).addHelpText(
    "after",
    `
Examples:
  source <(orch completion bash)                        now; in ~/.bashrc for every shell
  source <(orch completion zsh)
  orch completion fish > ~/.config/fish/completions/orch.fish
  orch completion kubectl > ~/bin/kubectl_complete-orch && chmod +x ~/bin/kubectl_complete-orch`,
  );
  command.action((name: string) => {
    const script = SCRIPTS[name];
    if (script !== undefined) return session.write(script);
    throw new CliError(`${JSON.stringify(name)} is not a known shell: use ${Object.keys(SCRIPTS).join(", ")}`);
  });
}
