// Events of a watch of several resources, and the parts that they belong to. Format: docs/lists.md, "Watches of several
// resources".
import type { Resource } from "../discovery/resource";
import type { Failure } from "../requests/failure";
import { failureOf } from "../requests/failure";
import type { ChangeListener, ChangeType, WatchTarget } from "./changes";
import { versionOf } from "./resume-point";

export interface SharedEvent {
  readonly type: ChangeType | "BOOKMARK" | "ERROR" | "REFUSED";
  /** Absent in bookmarks, and in errors of the whole watch. */
  readonly resource?: string;
  /** Version from which a new watch continues after this event. */
  readonly resourceVersion?: string;
  readonly object: unknown;
}

/** One of the resources that share the watch. */
export interface Part {
  readonly target: WatchTarget;
  readonly listener: ChangeListener;
  /** Version up to which the listener has all changes. */
  version: string;
}

/** Returns the name of a resource in events. */
export const eventName = ({ group, version, name }: Pick<Resource, "group" | "version" | "name">): string =>
  group === "" ? `${version}/${name}` : `${group}/${version}/${name}`;

/** Returns the value of the parameter `resource`. */
export function resourceParameter({ resource, namespace, labelSelector, fieldSelector }: WatchTarget): string {
  const options = Object.entries({ namespace, labelSelector, fieldSelector }).flatMap(([name, value]) =>
    value ? [`;${name}=${encodeURIComponent(value)}`] : [],
  );
  return eventName(resource) + options.join("");
}

/** Returns the version from which all parts get what they lack. Some get changes again, which {@link deliver} leaves out. */
export function sharedVersion(parts: Iterable<Part>): string {
  const [first = "", ...others] = [...parts].map(({ version }) => version);
  return others.reduce((least, version) => (isAfter(least, version) ? version : least), first);
}

export interface Delivered {
  /** Parts that must be listed again. */
  readonly lost: readonly Part[];
  /** The failure that has ended the watch. */
  readonly failure?: Failure;
}

const NOTHING: Delivered = { lost: [] };

/** Passes an event on to the part that it belongs to. */
export function deliver(event: SharedEvent, parts: ReadonlyMap<string, Part>): Delivered {
  const part = event.resource === undefined ? undefined : parts.get(event.resource);
  switch (event.type) {
    case "BOOKMARK":
      for (const each of parts.values()) advance(each, event.resourceVersion);
      return NOTHING;
    case "REFUSED":
      part?.listener.connection(failureOf(403, event.object));
      return NOTHING;
    case "ERROR": {
      const failure = failureOf(500, event.object);
      if (failure.code !== 410) return { lost: [], failure };
      return { lost: part === undefined ? [...parts.values()] : [part], failure };
    }
    default: {
      const version = versionOf(event.object);
      if (part !== undefined && version !== undefined && isAfter(version, part.version)) {
        part.version = version;
        part.listener.change(event.type, event.object);
      }
      return NOTHING;
    }
  }
}

function advance(part: Part, version: string | undefined): void {
  if (version !== undefined && isAfter(version, part.version)) part.version = version;
}

/** Versions of one store are numbers that grow. */
const isAfter = (one: string, other: string): boolean =>
  one.length === other.length ? one > other : one.length > other.length;
