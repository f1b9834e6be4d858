// The events of a watch: frames of `{"type":…,"object":…}` and a newline, built once while the change is recent, and
// shared by all watchers.

import type { ServedVersion } from "@orch/machinery";
import { writeJson } from "@orch/schema";
import type { WatchEvent, WatchEventType } from "../contract/operations";
import { headOf } from "../objects/resource-form";
import type { StoredEntry } from "../objects/stored-entry";

type ObjectEventType = "ADDED" | "MODIFIED" | "DELETED";
type EventOf<Type extends WatchEventType> = Extract<WatchEvent, { readonly type: Type }>;

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

/** Frames by key: a version for its JSON, another key for another form. Nearly always there is only one. */
class Frames {
  private key: object | undefined;
  private firstFrame: Buffer | undefined;
  private further: Map<object, Buffer> | undefined;

  known(key: object): Buffer | undefined {
    return this.key === key && this.firstFrame !== undefined ? this.firstFrame : this.further?.get(key);
  }

  made(key: object, make: () => Buffer): Buffer {
    const known = this.known(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.firstFrame === undefined) {
      this.key = key;
      this.firstFrame = made;
    } else {
      this.further ??= new Map();
      this.further.set(key, made);
    }
    return made;
  }

  release(): void {
    this.firstFrame = undefined;
    this.further = undefined;
  }
}

export class ObjectEvent implements EventOf<ObjectEventType> {
  private readonly frames = new Frames();

  constructor(
    readonly type: ObjectEventType,
    readonly entry: StoredEntry,
  ) {}

  get resourceVersion(): number {
    return this.entry.resourceVersion;
  }

  frame(version: ServedVersion): Buffer {
    return (
      this.frames.known(version) ?? this.frames.made(version, () => jsonFrame(this.type, this.entry.json(version)))
    );
  }

  madeFrame(key: object, make: () => Buffer): Buffer {
    return this.frames.made(key, make);
  }

  releaseFrame(): void {
    this.frames.release();
  }
}

const NO_ANNOTATIONS: Readonly<Record<string, string>> = Object.freeze({});

/** A bookmark: all changes up to its revision have been sent. Source: Kubernetes API concepts, "Watch bookmarks". */
export class BookmarkEvent implements EventOf<"BOOKMARK"> {
  readonly type = "BOOKMARK";
  readonly annotations: Readonly<Record<string, string>>;
  private readonly frames = new Frames();

  /** @param annotation a key that is set to "true": the mark at the end of the initial events */
  constructor(
    readonly resourceVersion: number,
    annotation?: string,
  ) {
    this.annotations = annotation === undefined ? NO_ANNOTATIONS : { [annotation]: "true" };
  }

  frame(version: ServedVersion): Buffer {
    return this.frames.made(version, () => {
      const { annotations } = this;
      const metadata = {
        resourceVersion: String(this.resourceVersion),
        ...(annotations === NO_ANNOTATIONS ? {} : { annotations }),
      };
      return jsonFrame(this.type, Buffer.concat([headOf(version), Buffer.from(`"metadata":${writeJson(metadata)}}`)]));
    });
  }

  madeFrame(key: object, make: () => Buffer): Buffer {
    return this.frames.made(key, make);
  }
}

/** The last event of a watch that cannot continue. Its object is a Status. */
export class ErrorEvent implements EventOf<"ERROR"> {
  readonly type = "ERROR";

  constructor(
    readonly resourceVersion: number,
    readonly status: object,
  ) {}

  frame(_version: ServedVersion): Buffer {
    return jsonFrame(this.type, Buffer.from(JSON.stringify(this.status)));
  }

  madeFrame(_key: object, make: () => Buffer): Buffer {
    return make();
  }
}

/** Builds one frame of a JSON stream. */
export function jsonFrame(type: WatchEventType, object: Buffer): Buffer {
  const start = FRAME_START[type];
  const frame = Buffer.allocUnsafe(start.length + object.length + FRAME_END.length);
  start.copy(frame, 0);
  object.copy(frame, start.length);
  FRAME_END.copy(frame, start.length + object.length);
  return frame;
}
