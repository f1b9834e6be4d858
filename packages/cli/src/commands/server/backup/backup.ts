// `orch backup`: writes a backup and checks it by reading it.
import type { Command } from "commander";
import { formatted, outputOption } from "../../../output/format";
import type { Session } from "../../../session/session";
import { bytesText } from "../pages/bytes-text";
import { addEtcdOptions, type EtcdOptions } from "../store/etcd-options";
import { type CheckedBackup, checkedBackup } from "./check-backup";
import { takeBackup } from "./take-backup";

interface Options extends EtcdOptions {
  readonly force?: boolean;
  readonly check?: boolean;
  readonly output?: string;
}

export function define(command: Command, session: Session): void {
  addEtcdOptions(
    command
      .argument("<target>", "file to write, or a folder in which the file gets a name with the time")
      .option("--force", "replace the file")
      .option("--check", "take no backup: only read the file and check it"),
  )
    .addOption(outputOption(["json"]))
    .addHelpText(
      "after",
      `
The file appears when it is whole and has been read again.

Examples:
  orch backup orch.backup                        of a server with an embedded store
  orch backup --endpoints=https://etcd:2379 --cacert=ca.crt --cert=c.crt --key=c.key backups/
  orch backup --check orch.backup
  orch restore orch.backup --data-dir=.orch/restored`,
    );
  command.action(async (target: string, { check, output, ...options }: Options) => {
    const { path, found } =
      check === true ? { path: target, found: checkedBackup(target) } : await takeBackup(session, target, options);
    session.write(output === undefined ? `${backupText(path, found)}\n` : formatted({ path, ...found }, output));
  });
}

export function backupText(path: string, found: CheckedBackup): string {
  const size = bytesText(found.bytes);
  return found.kind === "etcd"
    ? `${path}: snapshot of etcd, ${size}, checksum ok`
    : `${path}: ${found.objects} keys at revision ${found.revision}, ${size}, all records ok`;
}
