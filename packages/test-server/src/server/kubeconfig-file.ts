// The client configuration file of a server, in a temporary folder of its own.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeProcessFolder } from "../process/process-folder";

/** Only the owner may read the file: it contains a private key. */
const MODE = 0o600;

export class KubeconfigFile {
  private folder: string | undefined;

  constructor(private readonly text: () => string) {}

  /** Returns the path of the file, which is written by the first call. */
  get path(): string {
    if (this.folder === undefined) {
      this.folder = makeProcessFolder("test-server");
      writeFileSync(this.file(this.folder), this.text(), { mode: MODE });
    }
    return this.file(this.folder);
  }

  remove(): void {
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
    this.folder = undefined;
  }

  private readonly file = (folder: string): string => join(folder, "kubeconfig");
}
