// `orch store`: the store of a server, embedded or in etcd.
import type { Command } from "commander";
import { columnText, visible } from "../../../output/columns";
import { formatted, outputOption } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { backupText } from "../backup/backup";
import { addS3Options } from "../backup/s3-place";
import { type TakeOptions, takeBackup } from "../backup/take-backup";
import { bytesText } from "../pages/bytes-text";
import { storeFigures } from "../pages/store-figures";
import { alarmsOf, defragment, type EndpointStatus, membersOf, statuses } from "./etcd-members";
import { addEtcdOptions, type EtcdOptions } from "./etcd-options";
import { findStore } from "./find-store";

interface Options extends EtcdOptions {
  readonly output?: string;
  readonly disarm?: boolean;
}

export function define(command: Command, session: Session): void {
  command.addHelpText(
    "after",
    `
Without --endpoints, the commands ask the server which store it has, and which files it uses for etcd. While no server
answers, --config names the file with its flags.

Examples:
  orch store status
  orch store status --config=/etc/orch/orch.yaml
  orch store members --endpoints=https://etcd-1:2379 --cacert=ca.crt --cert=c.crt --key=c.key
  orch store snapshot backups/`,
  );
  const add = (name: string, description: string, act: (options: Options) => Promise<void>) =>
    addEtcdOptions(command.command(name).description(description))
      .addOption(outputOption(["json", "yaml"]))
      .action(act);
  add("status", "show size, revision and leader", (options) => status(session, options));
  add("members", "list the members of etcd", (options) => members(session, options));
  add("defrag", "give the disk back what is free in the files of etcd, one member after another", (options) =>
    defrag(session, options),
  );
  add("alarms", "list the alarms of etcd", (options) => alarms(session, options)).option("--disarm", "end the alarms");
  addS3Options(addEtcdOptions(command.command("snapshot <target>").description("write a backup, as orch backup does")))
    .option("--force", "replace the file")
    .action(async (target: string, options: TakeOptions) => {
      const { path, found } = await takeBackup(session, target, options);
      session.write(`${backupText(path, found)}\n`);
    });
}

async function status(session: Session, options: Options): Promise<void> {
  const store = await findStore(session, options);
  if (store.kind === "embedded") {
    const figures = await storeFigures(await session.client());
    if (options.output !== undefined) session.write(formatted(figures, options.output));
    else {
      const { sizes, objects = 0, unreadable } = figures;
      const rows = sizes.map(({ endpoint, bytes }) => [
        endpoint,
        bytesText(bytes),
        String(objects),
        String(unreadable),
      ]);
      session.write(columnText([["STORE", "SIZE", "OBJECTS", "UNREADABLE"], ...rows]));
    }
    if (figures.unreadable > 0) session.exitCode = 1;
    return;
  }
  const found = await statuses(store.endpoints, store.options);
  session.write(options.output === undefined ? statusText(found) : formatted(found, options.output));
  for (const { error } of found) if (error !== undefined) session.tell(`error: ${error}`);
  if (found.some(({ error, errors = [] }) => error !== undefined || errors.length > 0)) session.exitCode = 1;
}

function statusText(found: readonly EndpointStatus[]): string {
  const head = ["ENDPOINT", "ID", "VERSION", "SIZE", "IN USE", "ROLE", "REVISION", "RAFT TERM", "RAFT INDEX", "ERRORS"];
  const rows = found.map((each) =>
    each.error === undefined
      ? [
          ...[
            each.endpoint,
            each.id ?? "",
            each.version ?? "",
            bytesText(each.bytes ?? 0),
            bytesText(each.bytesInUse ?? 0),
          ],
          each.isLeader === true ? "leader" : each.isLearner === true ? "learner" : "follower",
          ...[each.revision, each.raftTerm, each.raftIndex].map(String),
          each.errors?.join(", ") || "-",
        ]
      : [each.endpoint, ...Array.from({ length: head.length - 2 }, () => "-"), "does not answer"],
  );
  return columnText([head, ...rows.map((row) => row.map(visible))]);
}

async function members(session: Session, options: Options): Promise<void> {
  const store = await findStore(session, options);
  if (store.kind === "embedded") return session.write("The embedded store has no members: one server has it alone.\n");
  const found = await membersOf(store.endpoints, store.options);
  if (options.output !== undefined) return session.write(formatted(found, options.output));
  const rows = found.map(({ id, name, peerUrls, clientUrls, isLearner }) => [
    ...[id, name || "(not started)", peerUrls.join(","), clientUrls.join(",") || "-", isLearner ? "learner" : "voter"],
  ]);
  session.write(columnText([["ID", "NAME", "PEERS", "CLIENTS", "ROLE"], ...rows.map((row) => row.map(visible))]));
}

async function defrag(session: Session, options: Options): Promise<void> {
  const store = await findStore(session, options);
  if (store.kind === "embedded") return session.write("The embedded store gives back what is free by itself.\n");
  const before = await statuses(store.endpoints, store.options);
  const failed = before.find(({ error }) => error !== undefined);
  if (failed !== undefined) throw new CliError(`${failed.error}; nothing was defragmented`);
  // The leader comes last, so that it changes at most once.
  const order = [...before].sort((one, other) => Number(one.isLeader) - Number(other.isLeader));
  const sizes: { endpoint: string; before: number; after: number }[] = [];
  for (const { endpoint, bytes = 0 } of order) {
    await defragment(endpoint, store.options);
    const [after] = await statuses([endpoint], store.options);
    sizes.push({ endpoint, before: bytes, after: after?.bytes ?? 0 });
    if (options.output === undefined) {
      session.write(`${endpoint}: ${bytesText(bytes)}, now ${bytesText(after?.bytes ?? 0)}\n`);
    }
  }
  if (options.output !== undefined) session.write(formatted(sizes, options.output));
}

async function alarms(session: Session, options: Options): Promise<void> {
  const store = await findStore(session, options);
  if (store.kind === "embedded")
    return session.write("The embedded store has no alarms; orch store status shows its state.\n");
  const found = await alarmsOf(store.endpoints, store.options, options.disarm === true);
  if (options.output !== undefined) session.write(formatted(found, options.output));
  else if (found.length === 0) session.write("No alarms.\n");
  else session.write(columnText([["MEMBER", "ALARM"], ...found.map(({ member, alarm }) => [member, alarm])]));
  if (found.length > 0 && options.disarm !== true) session.exitCode = 1;
}
