// `orch restore`: makes the embedded store of a data directory from a backup.
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@orch/platform";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { backupText } from "./backup";
import { addS3Options, S3_HELP, type S3Backup, type S3CommandOptions, s3Place } from "./s3-place";

/** Name of a store that is being made, before the id of the process. */
const DRAFT = "store.restoring-";

interface Options extends S3CommandOptions {
  readonly dataDir?: string;
  readonly download?: string;
}

export function define(command: Command, session: Session): void {
  addS3Options(
    command
      .argument("<file>", "backup of an embedded store, or s3://BUCKET/PREFIX/NAME; without NAME, the newest one")
      .option("--data-dir <folder>", "data directory of the server, which must have no store")
      .option("--download <file>", "only write the backup from the bucket to this file, and check it"),
  ).addHelpText(
    "after",
    `
The store appears when it is whole. Certificates are not part of a backup: the server makes new ones, unless the folder pki
is copied. A snapshot of etcd is restored by the tool of etcd.
${S3_HELP}

Examples:
  orch restore orch.backup --data-dir=.orch/restored
  orch restore s3://backups/cluster-1 --s3-credentials-file=s3.ini --data-dir=.orch/restored
  orch restore s3://backups/cluster-1 --s3-credentials-file=s3.ini --download=etcd.snapshot
  orch up --data-dir=.orch/restored`,
  );
  command.action(async (place: string, options: Options) => {
    const { dataDir, download } = options;
    if ((dataDir === undefined) === (download === undefined))
      throw new CliError("name --data-dir to restore the store there, or --download to only write the file");
    const bucket = s3Place(session, place, options);
    if (download !== undefined) {
      if (bucket === undefined) throw new CliError(`--download: ${place} is a file already; name s3://BUCKET/PREFIX`);
      const { from, found } = await downloaded(bucket, download, session);
      return session.write(`${backupText(`${download} (${from})`, found)}\n`);
    }
    if (dataDir === undefined) return;
    refuseStore(dataDir);
    makeFolder(dataDir, 0o700);
    removeAbandoned(dataDir);
    if (bucket === undefined) return restore(place, dataDir, session);
    const file = join(dataDir, `${DRAFT}${process.pid}.backup`);
    try {
      await downloaded(bucket, file, session);
      await restore(file, dataDir, session);
    } finally {
      rmSync(file, { force: true });
    }
  });
}

/** Writes a backup of a bucket to a file. @throws CliError when the folder has none */
async function downloaded({ target, name }: S3Backup, file: string, session: Session) {
  const { backupsAmong, checkedFile, writeWhole } = require("@orch/backup") as typeof import("@orch/backup");
  const names = name === undefined ? await target.names(session.signal) : [];
  const newest = (["embedded", "etcd"] as const)
    .flatMap((kind) => backupsAmong(names, kind))
    .sort((one, other) => other.atMs - one.atMs)[0]?.name;
  const chosen = name ?? newest;
  if (chosen === undefined) throw new CliError(`${target.placeOf("")} contains no backup`);
  const check = (draft: string) => checkedFile(draft);
  const found = await writeWhole(file, target.read(chosen, session.signal), { check });
  return { from: target.placeOf(chosen), found };
}

function refuseStore(dataDir: string): void {
  const store = join(dataDir, "store");
  if (existsSync(store)) throw new CliError(`${store} exists: move it away, or choose another --data-dir`);
}

async function restore(file: string, dataDir: string, session: Session): Promise<void> {
  const { checkedFile } = require("@orch/backup") as typeof import("@orch/backup");
  const { restoreBackup, StoreOpenError } = require("@orch/store") as typeof import("@orch/store");
  const { kind } = await checkedFile(file);
  if (kind === "etcd") {
    throw new CliError(
      `${file} is a snapshot of etcd, which its own tool restores: etcdutl snapshot restore ${file} --data-dir DIR`,
    );
  }
  const store = join(dataDir, "store");
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
}

/** Removes what commands that were killed have left. */
function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(DRAFT)) continue;
    if (!isRunning(Number.parseInt(name.slice(DRAFT.length), 10)))
      rmSync(join(dataDir, name), { recursive: true, force: true });
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
