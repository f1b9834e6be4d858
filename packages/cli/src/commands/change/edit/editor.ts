// The editor of the person, on a file that only they can read.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../../../process/cli-error";

/** Editor when no variable names one. */
const DEFAULT_EDITOR = "vi";

export class EditedFile {
  readonly path: string;
  private readonly folder: string;

  /** @param name of the file, whose ending tells the editor the language */
  constructor(name: string) {
    this.folder = mkdtempSync(join(tmpdir(), "orch-edit-"));
    this.path = join(this.folder, name);
  }

  /** Opens the editor on a text. @returns the text that was saved @throws CliError when the editor fails */
  async edit(text: string, editor: string): Promise<string> {
    writeFileSync(this.path, text, { mode: 0o600 });
    await runEditor(editor, this.path);
    return readFileSync(this.path, "utf8");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns the editor of the environment. @param own variable of the vocabulary, which is asked first */
export const editorOf = (environment: Readonly<Record<string, string | undefined>>, own: string): string =>
  environment[own] || environment["EDITOR"] || DEFAULT_EDITOR;

function runEditor(editor: string, path: string): Promise<void> {
  // The variable may hold arguments, such as `code --wait`.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new CliError(`there was a problem with the editor ${JSON.stringify(editor)}: ${error.message}`)),
    );
    child.once("close", (code) => {
      if (code === 0) resolve();
      else
        reject(
          new CliError(
            `there was a problem with the editor ${JSON.stringify(editor)}: it ended with ${code ?? "a signal"}`,
          ),
        );
    });
  });
}
