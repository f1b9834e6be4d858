// Follows a list of the server: reads it, then reports its changes for as long as the command runs. A watch that ends is
// resumed after the last change; when that version is no longer kept, the list is read again. Source: Kubernetes
// documentation, "Kubernetes API Concepts", "Efficient detection of changes".
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, ConnectionError, TimeoutError } from "@orch/client";
import { isCode, receivedStatusError, StatusError } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { pathOf, type ReadOptions, readPages } from "./read-pages";
import type { Target } from "./targets";

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object, or a table with its row. */
  readonly object: JsonObject;
}

export interface FollowHandlers {
  /** Receives a page of the list that is read again. @param isFirst the first page of a list */
  readonly relisted: (page: JsonObject, isFirst: boolean, isLast: boolean) => void;
  readonly changed: (change: Change) => void;
  /** Receives the reason when the connection is lost, and undefined when the watch goes on. */
  readonly interrupted: (why: string | undefined) => void;
}

/** Pauses of client-go's reflector (client-go/tools/cache/reflector.go). */
const PAUSE_MS = { first: 800, max: 30_000 };
/** Duration after which a watch counts as one that works. */
const LONG_MS = 5_000;

export class Follower {
  /** Version of the last change. */
  private version = "";
  private readonly list: Target;
  private readonly selection: ReadOptions;

  constructor(
    private readonly client: Client,
    readonly target: Target,
    private readonly options: ReadOptions,
  ) {
    const { name, ...list } = target;
    const selector = name === undefined ? options.fieldSelector : `metadata.name=${name}`;
    this.list = list;
    this.selection = { ...options, fieldSelector: selector };
  }

  /** Yields the pages of the list. @throws StatusError when there is no object of the name */
  async *pages(): AsyncGenerator<JsonObject, void, undefined> {
    let count = 0;
    for await (const page of readPages(this.client, this.list, this.selection)) {
      this.version = versionOf(page) ?? this.version;
      count += (Array.isArray(page["rows"]) ? page["rows"] : ((page["items"] as unknown[] | null) ?? [])).length;
      yield page;
    }
    if (count > 0 || this.target.name === undefined) return;
    // Reports that the object does not exist, or shows it when it was created meanwhile.
    for await (const page of readPages(this.client, this.target, this.options)) yield page;
  }

  /** Reports changes after the list, until the signal is aborted. @throws StatusError for a refusal that will last */
  async changes(handlers: FollowHandlers, signal: AbortSignal): Promise<void> {
    let pauseMs = PAUSE_MS.first;
    let refusals = 0;
    let isExpired = false;
    while (!signal.aborted) {
      const since = performance.now();
      try {
        if (isExpired) await this.readAgain(handlers);
        isExpired = false;
        await this.watchOnce(handlers, signal, () => {
          refusals = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        if (isCode(error, 410)) isExpired = true;
        else if (isCode(error, 401) && refusals === 0) {
          // The credentials have expired; the next request asks for new ones.
          refusals += 1;
          continue;
        } else if (isPassing(error)) handlers.interrupted((error as Error).message);
        else throw error;
      }
      if (performance.now() - since > LONG_MS) pauseMs = PAUSE_MS.first;
      else if (!isExpired) {
        await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max);
      }
    }
  }

  private async readAgain({ relisted, interrupted }: FollowHandlers): Promise<void> {
    let last: JsonObject | undefined;
    let isFirst = true;
    for await (const page of readPages(this.client, this.list, this.selection)) {
      if (last !== undefined) {
        relisted(last, isFirst, false);
        isFirst = false;
      }
      last = page;
      this.version = versionOf(page) ?? this.version;
    }
    relisted(last ?? {}, isFirst, true);
    interrupted(undefined);
  }

  private async watchOnce(handlers: FollowHandlers, signal: AbortSignal, onEvent: () => void): Promise<void> {
    const { labelSelector, fieldSelector, accept, includeObject } = this.selection;
    const query = { watch: "true", allowWatchBookmarks: "true", resourceVersion: this.version };
    const lines = this.client.requestLines({
      method: "GET",
      path: pathOf(this.list, { ...query, labelSelector, fieldSelector, includeObject }),
      ...(accept === undefined ? {} : { accept }),
      signal,
    });
    for await (const line of lines) {
      const { type, object } = line;
      if (!isObject(object)) throw new CliError("the server sent an event without an object in a watch");
      onEvent();
      handlers.interrupted(undefined);
      if (type === "ERROR")
        throw receivedStatusError(object as JsonValue, { code: 500, text: "the watch ended with an error" });
      this.version = versionOf(object) ?? versionOfRow(object) ?? this.version;
      if (type === "ADDED" || type === "MODIFIED" || type === "DELETED") handlers.changed({ type, object });
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error instanceof StatusError && (error.code === 429 || error.code >= 500);
}

function versionOf({ metadata }: JsonObject): string | undefined {
  const version = isObject(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof version === "string" && version !== "" ? version : undefined;
}

/** Returns the version of the object of a table's row. */
function versionOfRow({ rows }: JsonObject): string | undefined {
  const row = Array.isArray(rows) ? rows[0] : undefined;
  return isObject(row) && isObject(row["object"]) ? versionOf(row["object"]) : undefined;
}
