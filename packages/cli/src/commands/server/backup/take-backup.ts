// Takes a backup: of a server with an embedded store, or of etcd.
import { join } from "node:path";
import type { BackupKind, BackupTarget, CheckedBackup } from "@orch/backup";
import type { Client } from "@orch/client";
import { receivedStatusError } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { type EtcdOptions, endpointsIn, etcdStore } from "../store/etcd-options";
import { type S3CommandOptions, s3Place } from "./s3-place";

export interface TakenBackup {
  readonly path: string;
  readonly found: CheckedBackup;
}

export const BACKUP_PATH = "/debug/backup";
const REFUSAL_MAX_BYTES = 65_536;

export interface TakeOptions extends EtcdOptions, S3CommandOptions {
  readonly force?: boolean;
}

/**
 * Writes a backup to a file, or to a folder or a bucket under a name with the time. The backup appears once it has been
 * checked.
 */
export async function takeBackup(session: Session, place: string, options: TakeOptions): Promise<TakenBackup> {
  const { checkedFile, isFolder, writeWhole } = require("@orch/backup") as typeof import("@orch/backup");
  const bucket = s3Place(session, place, options);
  if (bucket?.name !== undefined) throw new CliError(`${place}: name the folder; the backup gets a name with the time`);
  if (bucket !== undefined) return takeInto(bucket.target, session, options);
  const { content, name } = await source(session, options);
  const path = isFolder(place) ? join(place, name) : place;
  const how = { check: (draft: string) => checkedFile(draft), replaces: options.force === true };
  return { path, found: await writeWhole(path, content, how) };
}

/** Writes a backup under a name with the time. */
export async function takeInto(target: BackupTarget, session: Session, options: EtcdOptions): Promise<TakenBackup> {
  const { content, name } = await source(session, options);
  return { path: target.placeOf(name), found: await target.write(name, content, session.signal) };
}

export const kindOf = (options: EtcdOptions): BackupKind => (endpointsIn(options).length > 0 ? "etcd" : "embedded");

async function source(session: Session, options: EtcdOptions) {
  const { backupName } = require("@orch/backup") as typeof import("@orch/backup");
  const name = backupName(kindOf(options), session.io.now());
  const [endpoint] = endpointsIn(options);
  if (endpoint !== undefined) return { name, content: snapshotOf(endpoint, options, session.signal) };
  return { name, content: backupOf(await session.client(), session.signal) };
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

async function* snapshotOf(endpoint: string, options: EtcdOptions, signal: AbortSignal): AsyncGenerator<Buffer> {
  const store = await etcdStore(endpoint, options);
  try {
    yield* store.snapshot?.({ signal }) ?? [];
  } catch (error) {
    throw signal.aborted ? signal.reason : new CliError(`etcd at ${endpoint}: ${(error as Error).message}`);
  } finally {
    await store.close();
  }
}
