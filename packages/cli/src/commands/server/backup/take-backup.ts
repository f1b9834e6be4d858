// Takes a backup: of a server with an embedded store, or of etcd.
import { join } from "node:path";
import type { BackupTarget, CheckedBackup } from "@orch/backup";
import type { Client } from "@orch/client";
import { receivedStatusError } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { type EtcdOptions, etcdStore } from "../store/etcd-options";
import { findStore } from "../store/find-store";
import { BACKUP_PATH } from "./backup-path";
import { type S3CommandOptions, s3Place } from "./s3-place";

export interface TakenBackup {
  readonly path: string;
  readonly found: CheckedBackup;
}

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

async function source(session: Session, options: EtcdOptions) {
  const { backupName } = require("@orch/backup") as typeof import("@orch/backup");
  const store = await findStore(session, options);
  const content =
    store.kind === "etcd"
      ? snapshotOf(store.endpoints, store.options, session.signal)
      : backupOf(await session.client(), session.signal);
  return { name: backupName(store.kind, session.io.now()), content };
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
  throw receivedStatusError(parsed(text), { code: status, text });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Yields the snapshot of the first member that answers. */
async function* snapshotOf(
  endpoints: readonly string[],
  options: EtcdOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let failure: unknown;
  for (const endpoint of endpoints) {
    let hasBegun = false;
    const store = await etcdStore(endpoint, options);
    try {
      for await (const piece of store.snapshot?.({ signal }) ?? []) {
        hasBegun = true;
        yield piece;
      }
      return;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      failure ??= new CliError(`etcd at ${endpoint}: ${(error as Error).message}`);
      if (hasBegun) break;
    } finally {
      await store.close();
    }
  }
  throw failure;
}
