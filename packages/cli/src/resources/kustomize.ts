// Objects of kustomizations: `-k`. Another program builds them, because there is no maintained library of kustomize.
import { execFile } from "node:child_process";
import type { Command } from "commander";
import { CliError } from "../process/cli-error";
import type { Io } from "../process/io";

/** Start of the paths of files that stand for kustomizations. */
const SCHEME = "kustomize:";
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
/** Programs that build a kustomization, the preferred one first. */
const PROGRAMS = [
  ["kustomize", "build"],
  ["kubectl", "kustomize"],
] as const;

/** Adds `-k`. The folder becomes a path among the files, so that commands read both in the same way. */
export function addKustomize(command: Command): Command {
  command.option("-k, --kustomize <folder>", "folder with a kustomization, which kustomize or kubectl builds");
  return command.on("option:kustomize", (folder: string) => {
    command.setOptionValue("filename", [
      ...((command.getOptionValue("filename") as readonly string[] | undefined) ?? []),
      `${SCHEME}${folder}`,
    ]);
  });
}

/** Returns the folder of a path that stands for a kustomization. */
export const kustomizationOf = (path: string): string | undefined =>
  path.startsWith(SCHEME) ? path.slice(SCHEME.length) : undefined;

/** Returns the documents of a kustomization. @throws CliError when it cannot be built */
export async function builtKustomization(folder: string, { environment }: Io): Promise<string> {
  for (const [program, word] of PROGRAMS) {
    const { error, stdout, stderr } = await run(program, [word, folder], environment);
    if (error === null) return stdout;
    if (error.code === "ENOENT") continue;
    throw new CliError(`-k ${folder}: ${program}: ${stderr.trim().replace(/^error: /i, "") || error.message}`);
  }
  throw new CliError(
    `-k ${folder}: neither kustomize nor kubectl is installed, one of which builds it: install one, or name files with -f`,
  );
}

interface Ran {
  readonly error: NodeJS.ErrnoException | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, words: readonly string[], environment: Io["environment"]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, words, { env: { ...environment }, maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) =>
      resolve({ error: error as NodeJS.ErrnoException | null, stdout, stderr }),
    );
  });
}
