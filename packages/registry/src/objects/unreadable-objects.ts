// What lies where an object should, and is none: damaged, or written by a release that knows more. It is kept as it is, told of, and comes back when
// a definition can read it. Lists go without it and say so; a read of it alone fails; it can be deleted.

import { internalError, type ResourceDefinition, resourceText, StatusError } from "@orch/machinery";
import { messageOf } from "@orch/platform";
import { ValueCodecError } from "@orch/store";
import type { UnreadableSummary } from "../registry";
import type { StoredEntry } from "./stored-entry";
import type { StoredItem } from "./stored-item";

/** The answer to whoever asks for one such object. */
export class UnreadableObject extends StatusError {
  /** Why it cannot be read; nothing of what is in it. */
  readonly why: string;

  constructor(
    { group, plural }: ResourceDefinition,
    readonly item: StoredItem,
    cause: unknown,
  ) {
    const why = reasonOf(cause);
    const { reason, message, details } = internalError(
      `the stored object ${resourceText({ group, resource: plural })} ${JSON.stringify(item.path)} cannot be read: ${why}; it can only be deleted`,
    );
    super(reason, message, details, { cause });
    this.why = why;
  }
}

/** A parser's message shows what it met. */
function reasonOf(cause: unknown): string {
  if (cause instanceof SyntaxError) return "it is no JSON";
  if (cause instanceof ValueCodecError) return cause.message;
  return messageOf(cause);
}

/** For those who go on without what cannot be read. */
export function readable<T>(read: () => T): T | UnreadableObject {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableObject) return error;
    throw error;
  }
}

export interface Unreadable {
  readonly object: UnreadableObject;
  /** What it was when it could be read, where that is known. */
  readonly last: StoredEntry | undefined;
}

const NONE: UnreadableSummary = { count: 0, paths: [] };
const PATHS_TOLD = 3;

/** Those of one resource. */
export class UnreadableObjects {
  /** By namespace, then by path. */
  private readonly byNamespace = new Map<string, Map<string, Unreadable>>();

  get(path: string): Unreadable | undefined {
    return this.byNamespace.get(namespaceOf(path))?.get(path);
  }

  put(object: UnreadableObject, last: StoredEntry | undefined): void {
    const { path } = object.item;
    const namespace = namespaceOf(path);
    const objects = this.byNamespace.get(namespace);
    if (objects === undefined) this.byNamespace.set(namespace, new Map([[path, { object, last }]]));
    else objects.set(path, { object, last });
  }

  /** Forgets one, because it has changed. */
  take(path: string): Unreadable | undefined {
    if (this.byNamespace.size === 0) return undefined;
    const namespace = namespaceOf(path);
    const objects = this.byNamespace.get(namespace);
    const found = objects?.get(path);
    if (objects?.delete(path) === true && objects.size === 0) this.byNamespace.delete(namespace);
    return found;
  }

  /**
   * @param namespace "" for all
   * @param named so many of them
   */
  in(namespace: string, named = PATHS_TOLD): UnreadableSummary {
    if (this.byNamespace.size === 0) return NONE;
    const all = namespace === "" ? [...this.byNamespace.values()] : [this.byNamespace.get(namespace)];
    const paths: string[] = [];
    let count = 0;
    for (const objects of all) {
      if (objects === undefined) continue;
      count += objects.size;
      for (const path of objects.keys()) {
        if (paths.length === named) break;
        paths.push(path);
      }
    }
    return { count, paths };
  }

  items(): StoredItem[] {
    return [...this.byNamespace.values()].flatMap((objects) => [...objects.values()].map(({ object }) => object.item));
  }
}

/** Of a resource without namespaces each object is in one of its own, "". */
const namespaceOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf("/")));
