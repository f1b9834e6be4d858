// What a watch sends: frames of `{"type":…,"object":…}` and a newline, made once and shared by every watcher.

import type { ServedVersion } from "@orch/machinery";
import type { WatchEvent, WatchEventType } from "./registry";
import { headOf } from "./resource-form";
import type { StoredEntry } from "./stored-entry";

type ObjectEventType = "ADDED" | "MODIFIED" | "DELETED";

const FRAME_START: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: frameStart("ADDED"),
  MODIFIED: frameStart("MODIFIED"),
  DELETED: frameStart("DELETED"),
  BOOKMARK: frameStart("BOOKMARK"),
  ERROR: frameStart("ERROR"),
};
const FRAME_END = Buffer.from("}\n");

function frameStart(type: WatchEventType): Buffer {
  return Buffer.from(`{"type":"${type}","object":`);
}

export class ObjectEvent implements WatchEvent {
  #frame: Buffer | undefined;
  #frameVersion: ServedVersion | undefined;

  constructor(
    readonly type: ObjectEventType,
    readonly entry: StoredEntry,
  ) {}

  get resourceVersion(): number {
    return this.entry.resourceVersion;
  }

  frame(version: ServedVersion): Buffer {
    if (this.#frame !== undefined && this.#frameVersion === version) return this.#frame;
    // One version is remembered: watchers of two versions of one resource are rare, and each would still be served right.
    this.#frame = enclose(this.type, this.entry.json(version));
    this.#frameVersion = version;
    return this.#frame;
  }

  releaseFrame(): void {
    this.#frame = undefined;
  }
}

/** All changes up to its revision have been sent. Source: resource-api, "Events". */
export class BookmarkEvent implements WatchEvent {
  readonly type = "BOOKMARK";
  #frame: Buffer | undefined;
  #frameVersion: ServedVersion | undefined;

  /** @param annotation a key that is set to "true": the mark at the end of the initial events */
  constructor(
    readonly resourceVersion: number,
    private readonly annotation?: string,
  ) {}

  frame(version: ServedVersion): Buffer {
    if (this.#frame !== undefined && this.#frameVersion === version) return this.#frame;
    const annotations =
      this.annotation === undefined ? "" : `,"annotations":{${JSON.stringify(this.annotation)}:"true"}`;
    const metadata = `"metadata":{"resourceVersion":"${this.resourceVersion}"${annotations}}}`;
    this.#frame = enclose(this.type, Buffer.concat([headOf(version), Buffer.from(metadata)]));
    this.#frameVersion = version;
    return this.#frame;
  }
}

/** The last event of a watch that cannot go on. Its object is a Status. */
export class ErrorEvent implements WatchEvent {
  readonly type = "ERROR";

  constructor(
    readonly resourceVersion: number,
    private readonly status: object,
  ) {}

  frame(_version: ServedVersion): Buffer {
    return enclose(this.type, Buffer.from(JSON.stringify(this.status)));
  }
}

function enclose(type: WatchEventType, object: Buffer): Buffer {
  const start = FRAME_START[type];
  const frame = Buffer.allocUnsafe(start.length + object.length + FRAME_END.length);
  start.copy(frame, 0);
  object.copy(frame, start.length);
  FRAME_END.copy(frame, start.length + object.length);
  return frame;
}
