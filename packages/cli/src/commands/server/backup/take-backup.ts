// Takes a backup: of a server with an embedded store, or of etcd.
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Client } from "@orch/client";
import { receivedStatusError } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { type EtcdOptions, endpointsIn, etcdClient, etcdError } from "../store/etcd-options";
import { type CheckedBackup, checkedBackup } from "./check-backup";
import { isFolder, writeWhole } from "./whole-file";

export interface TakenBackup {
  readonly path: string;
  readonly found: CheckedBackup;
}

export const BACKUP_PATH = "/debug/backup";
const REFUSAL_MAX_BYTES = 65_536;

/** Beginning and ending of the names of files in a folder; the time of the backup is between them. */
export const BACKUP_NAMES = { embedded: ["orch-", ".backup"], etcd: ["etcd-", ".snapshot"] } as const;

/** Writes a backup to a file, or to a folder under a name with the time. The file appears once it has been checked. */
export async function takeBackup(
  session: Session,
  target: string,
  { force = false, ...etcd }: EtcdOptions & { readonly force?: boolean },
): Promise<TakenBackup> {
  const endpoints = endpointsIn(etcd);
  const kind = endpoints.length > 0 ? "etcd" : "embedded";
  const path = isFolder(target) ? join(target, fileName(kind, session.io.now())) : target;
  const how = { check: checkedBackup, replaces: force };
  const [endpoint] = endpoints;
  if (endpoint !== undefined)
    return { path, found: await writeWhole(path, snapshotOf(endpoint, etcd, session.signal), how) };
  const pieces = backupOf(await session.client(), session.signal);
  return { path, found: await writeWhole(path, pieces, how) };
}

function fileName(kind: keyof typeof BACKUP_NAMES, nowMs: number): string {
  const [start, end] = BACKUP_NAMES[kind];
  return `${start}${new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-")}${end}`;
}

async function* backupOf(client: Client, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { status, body } = await client.raw({ path: BACKUP_PATH, signal });
  if (status === 200) {
    yield* body as AsyncIterable<Buffer>;
    return;
  }
  let text = "";
  for await (const piece of body.setEncoding("utf8") as AsyncIterable<string>) {
    if (text.length < REFUSAL_MAX_BYTES) text += piece;
  }
  if (status === 404) {
    throw new CliError(
      `the server has no ${BACKUP_PATH}: it is no server with an embedded store; back up its etcd with --endpoints`,
    );
  }
  if (status === 400) {
    throw new CliError(
      "the server stores its objects in etcd: name etcd with --endpoints, and its --cacert, --cert and --key",
    );
  }
  throw receivedStatusError(parsed(text), { code: status, text });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

async function* snapshotOf(endpoint: string, options: EtcdOptions, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const client = etcdClient(endpoint, options);
  try {
    const stream = (await client.maintenance.snapshot()) as unknown as Readable;
    signal.addEventListener("abort", () => stream.destroy(signal.reason as Error), { once: true });
    for await (const { blob } of stream as AsyncIterable<{ readonly blob: Uint8Array }>) yield blob;
  } catch (error) {
    throw signal.aborted ? signal.reason : etcdError(endpoint, error);
  } finally {
    client.close();
  }
}
