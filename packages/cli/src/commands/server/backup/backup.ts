// `orch backup`: writes a backup and checks it by reading it.
import type { CheckedBackup } from "@orch/backup";
import type { Command } from "commander";
import { formatted, outputOption } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { bytesText } from "../pages/bytes-text";
import { addEtcdOptions } from "../store/etcd-options";
import { addS3Options, S3_HELP, type S3CommandOptions, s3Place } from "./s3-place";
import { type TakeOptions, takeBackup } from "./take-backup";

interface Options extends TakeOptions {
  readonly to?: string;
  readonly check?: boolean;
  readonly output?: string;
}

export function define(command: Command, session: Session): void {
  addS3Options(
    addEtcdOptions(
      command
        .argument("[target]", "file to write, or a folder or s3://BUCKET/PREFIX in which the backup gets a name")
        .option("--to <target>", "the target, in place of the argument")
        .option("--force", "replace the file")
        .option("--check", "take no backup: only read the file, or s3://BUCKET/PREFIX/NAME, and check it"),
    ),
  )
    .addOption(outputOption(["json"]))
    .addHelpText(
      "after",
      `
The file appears when it is whole and has been read again.
${S3_HELP}

Examples:
  orch backup orch.backup                        of a server with an embedded store
  orch backup --endpoints=https://etcd:2379 --cacert=ca.crt --cert=c.crt --key=c.key backups/
  orch backup --to s3://backups/cluster-1 --s3-credentials-file=s3.ini
  orch backup --check orch.backup
  orch restore orch.backup --data-dir=.orch/restored`,
    );
  command.action(async (argument: string | undefined, { check, output, to, ...options }: Options) => {
    const target = placeIn(argument, to);
    const { path, found } =
      check === true
        ? { path: target, found: await checked(target, options, session) }
        : await takeBackup(session, target, options);
    session.write(output === undefined ? `${backupText(path, found)}\n` : formatted({ path, ...found }, output));
  });
}

/** @throws CliError unless exactly one is given */
export function placeIn(argument: string | undefined, to: string | undefined): string {
  const place = argument ?? to;
  if (place === undefined) throw new CliError("name the target: a file, a folder or s3://BUCKET/PREFIX");
  if (argument !== undefined && to !== undefined) throw new CliError("name the target once: as argument, or with --to");
  return place;
}

async function checked(target: string, options: S3CommandOptions, session: Session): Promise<CheckedBackup> {
  const { checkedFile, checkedPieces } = require("@orch/backup") as typeof import("@orch/backup");
  const place = s3Place(session, target, options);
  if (place === undefined) return checkedFile(target);
  if (place.name === undefined) throw new CliError(`${target}: name one backup, s3://BUCKET/PREFIX/NAME`);
  return checkedPieces(target, place.target.read(place.name, session.signal), session.signal);
}

export function backupText(path: string, found: CheckedBackup): string {
  const size = bytesText(found.bytes);
  return found.kind === "etcd"
    ? `${path}: snapshot of etcd, ${size}, checksum ok`
    : `${path}: ${found.objects} keys at revision ${found.revision}, ${size}, all records ok`;
}
