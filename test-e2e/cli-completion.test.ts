// The scripts of `orch completion` in real shells, as a person types.
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { Orch } from "./harness/orch";
import { repository, tool, useWorkplace } from "./harness/processes";
import { Terminal } from "./harness/terminal";

const workplace = useWorkplace();
const orch = new Orch({ home: workplace.folder() });
let env: Readonly<Record<string, string>>;

beforeAll(() => {
  const { home } = orch.of;
  const bin = join(home, "bin");
  mkdirSync(bin);
  symlinkSync(join(repository, "packages/cli/bin/orch.js"), join(bin, "orch"));
  writeFileSync(join(home, "a-file"), "");
  env = { HOME: home, PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"]}` };
});

/** Writes a file into the home of the shell. Returns its path. */
function written(name: string, text: string): string {
  const path = join(orch.of.home, name);
  writeFileSync(path, text);
  return path;
}

const script = (shell: string): Promise<string> => orch.print(["completion", shell]);

test("works in bash, for words with equals signs as well", async () => {
  const file = written(
    "complete.sh",
    `${await script("bash")}
ask() { COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; _orch_complete; echo "\${COMPREPLY[@]}"; }
ask "orch depre"
ask "orch cert "
ask "orch version --output=y"
ask "orch --vocabulary kub"
`,
  );
  const { stdout } = await promisify(execFile)("bash", [file], { env });
  expect(stdout).toBe("deprecations\nshow renew init cluster rotate\nyaml\nkubernetes\n");
});

test("works in fish, with descriptions, and with files where a command takes files", async () => {
  const file = written(
    "complete.fish",
    `${await script("fish")}
set fish_function_path $SHELL_ROOT/usr/share/fish/functions
for line in "orch depre" "orch --vocabulary " "orch completion " "orch restore a-f"
  complete -C $line
end
`,
  );
  const { stdout } = await promisify(execFile)(tool("fish"), ["--no-config", file], { env, cwd: orch.of.home });
  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(/^deprecations\t\S/),
    "orch",
    "kubernetes",
    "bash",
    "fish",
    "kubectl",
    "zsh",
    "a-file",
    "",
  ]);
});

test("works in zsh, where a person presses Tab", async () => {
  // This file is read before the editor of the command line is loaded.
  written(".zshenv", "module_path=($SHELL_ROOT/usr/lib/*/zsh/*(/))\n");
  written(
    ".zshrc",
    `PS1="ready> "
fpath=($SHELL_ROOT/usr/share/zsh/functions $SHELL_ROOT/usr/share/zsh/functions/**/*(/))
autoload -U compinit; compinit -u -D
${await script("zsh")}`,
  );
  const shell = await Terminal.start(workplace, { command: [tool("zsh"), "-d", "-i"], env, cwd: orch.of.home });
  await shell.until(/^ready> ?$/m);
  await shell.type("orch depre");
  await shell.press("Tab");
  await shell.until(/ready> orch deprecations ?$/m);
  await shell.press("C-c");
  await shell.type("orch completion ");
  await shell.press("Tab");
  expect(await shell.until(/^bash +fish +kubectl +zsh/m)).not.toContain("a-file");
  await shell.press("C-c");
  await shell.type("orch cert re");
  await shell.press("Tab");
  await shell.until(/ready> orch cert renew ?$/m);
  await shell.press("C-c");
  await shell.type("orch restore a-f");
  await shell.press("Tab");
  await shell.until(/ready> orch restore a-file ?$/m);
});
