// `orch restore`: makes the embedded store of a data directory from a backup.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { isEtcdSnapshot } from "./check-backup";

/** Name of a store that is being made, before the id of the process. */
const DRAFT = "store.restoring-";

export function define(command: Command, session: Session): void {
  command
    .argument("<file>", "backup of an embedded store")
    .requiredOption("--data-dir <folder>", "data directory of the server, which must have no store")
    .addHelpText(
      "after",
      `
The store appears when it is whole. Certificates are not part of a backup: the server makes new ones, unless the folder pki
is copied.

Examples:
  orch restore orch.backup --data-dir=.orch/restored
  orch up --data-dir=.orch/restored`,
    );
  command.action(async (file: string, { dataDir }: { readonly dataDir: string }) => {
    if (isEtcdSnapshot(file)) {
      throw new CliError(
        `${file} is a snapshot of etcd, which its own tool restores: etcdutl snapshot restore ${file} --data-dir DIR`,
      );
    }
    const { restoreBackup, StoreOpenError } = require("@orch/store") as typeof import("@orch/store");
    const store = join(dataDir, "store");
    if (existsSync(store)) throw new CliError(`${store} exists: move it away, or choose another --data-dir`);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    removeAbandoned(dataDir);
    const draft = join(dataDir, `${DRAFT}${process.pid}`);
    try {
      const { revision, objects } = await restoreBackup(file, draft);
      renameSync(draft, store);
      session.write(`Restored ${objects} keys at revision ${revision} of the original store, in ${store}.\n`);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      if (error instanceof StoreOpenError) throw new CliError(error.message);
      throw error;
    }
  });
}

/** Removes what commands that were killed have left. */
function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(DRAFT)) continue;
    if (!isRunning(Number(name.slice(DRAFT.length)))) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
