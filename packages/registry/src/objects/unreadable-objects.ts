// Stored values that cannot be read as objects: damaged, or written by a newer release. Such a value is kept unchanged
// and reported. It becomes an object again when a definition can read it. Lists omit it and say so, a get of it fails,
// and a delete works.

import { internalError, type ResourceDefinition, resourceText, StatusError } from "@orch/machinery";
import { messageOf } from "@orch/platform";
import { ValueCodecError } from "@orch/store";
import type { UnreadableSummary } from "../contract/operations";
import type { StoredEntry } from "./stored-entry";
import type { StoredItem } from "./stored-item";

/** The error for a request of such an object. */
export class UnreadableObject extends StatusError {
  /** The reason, without any content of the value. */
  readonly why: string;

  constructor(
    { group, plural }: ResourceDefinition,
    readonly item: StoredItem,
    cause: unknown,
  ) {
    const why = reasonOf(cause);
    const way =
      item.mark === undefined
        ? "it can only be deleted"
        : "until its encryption key is available again, it can only be deleted";
    const { reason, message, details } = internalError(
      `the stored object ${resourceText({ group, resource: plural })} ${JSON.stringify(item.path)} cannot be read: ${why}; ${way}`,
    );
    super(reason, message, details, { cause });
    this.why = why;
  }
}

/** Returns the reason. A parser's message would show a part of the content. */
function reasonOf(cause: unknown): string {
  if (cause instanceof SyntaxError) return "it is not JSON";
  if (cause instanceof ValueCodecError) return cause.message;
  return messageOf(cause);
}

/** Returns the error as a value, for callers that continue without unreadable objects. */
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
  /** The last readable state, if known. */
  readonly last: StoredEntry | undefined;
}

const NONE: UnreadableSummary = { count: 0, paths: [] };
const PATHS_TOLD = 3;

/** The unreadable objects of one resource. */
export class UnreadableObjects {
  /** Objects by namespace, then by path. */
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

  /** Removes and returns an object that has changed. */
  take(path: string): Unreadable | undefined {
    if (this.byNamespace.size === 0) return undefined;
    const namespace = namespaceOf(path);
    const objects = this.byNamespace.get(namespace);
    const found = objects?.get(path);
    if (objects?.delete(path) === true && objects.size === 0) this.byNamespace.delete(namespace);
    return found;
  }

  /**
   * Returns a summary.
   * @param namespace "" for all
   * @param named maximum number of paths
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

/** Returns the namespace of a path. Objects of cluster-scoped resources are all in the namespace "". */
const namespaceOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf("/")));
