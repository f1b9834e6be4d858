// Keys of revisions: `<prefix>-history/<group or core>/<resource>/[<namespace>/]<name>/<revision>`. They lie outside the
// root of the objects, so no cache holds them. The last part tells what the bounds are checked by, so that no value is
// read for that:
//
//   0mh2k3d5a-3e8-1f4-u    written at that time, replaced revision 1000, 500 bytes, an update
//
// The replaced revision makes the key unique, because the transaction requires it. A created object replaced none, so
// its key ends with a part of its uid.
import type { Revision } from "@orch/store";
import { type KeySpace, keySpaceOf, type ResourcePath, splitKey } from "../objects/key-layout";

/** The effect of a write on the object. */
export type RevisionChange = "created" | "updated" | "deleted";

export interface RevisionParts {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly timeMs: number;
  /** The revision of the state that the write replaced; 0: the object was created. */
  readonly replaced: Revision;
  /** Size of the value. */
  readonly bytes: number;
  readonly change: RevisionChange;
}

const LETTERS = { created: "c", updated: "u", deleted: "d" } as const satisfies Record<RevisionChange, string>;
const CHANGES: Readonly<Record<string, RevisionChange>> = { c: "created", u: "updated", d: "deleted" };

/** Digits of a time, which suffice for 3,000 years. */
const TIME_DIGITS = 9;
const RADIX = 36;

/** Root of the keys of revisions. @param prefix root of the keys of objects */
export const historyPrefix = (prefix: string): string => `${prefix}-history`;

/** Keys of the revisions of one resource. */
export const revisionsOf = (prefix: string, resource: ResourcePath): KeySpace =>
  keySpaceOf(historyPrefix(prefix), resource);

/** Keys of the revisions of one object. */
export function revisionsAt(of: KeySpace, path: string): KeySpace {
  return { start: `${of.start}${path}/`, end: `${of.start}${path}0` };
}

/** @param uid of a created object */
export function revisionKey(of: KeySpace, parts: RevisionParts, uid: string): string {
  const { path, timeMs, replaced, bytes, change } = parts;
  const time = Math.max(0, Math.floor(timeMs)).toString(RADIX).padStart(TIME_DIGITS, "0");
  const last = `${time}-${replaced.toString(RADIX)}-${bytes.toString(RADIX)}-${LETTERS[change]}`;
  return `${of.start}${path}/${last}${replaced === 0 ? `-${uid.slice(0, UID_DIGITS)}` : ""}`;
}

const UID_DIGITS = 8;
const LAST_PART = /^([0-9a-z]{9})-([0-9a-z]{1,11})-([0-9a-z]{1,7})-([cud])(?:-[0-9a-f]{0,8})?$/;

export interface ReadRevisionKey extends RevisionParts {
  readonly resource: ResourcePath;
}

/** @returns undefined for a key that is not that of a revision */
export function readRevisionKey(prefix: string, key: string): ReadRevisionKey | undefined {
  const split = splitKey(historyPrefix(prefix), key);
  if (split === undefined) return undefined;
  const slash = split.rest.lastIndexOf("/");
  const found = slash < 1 ? undefined : LAST_PART.exec(split.rest.slice(slash + 1));
  if (found === null || found === undefined) return undefined;
  const [, time = "", replaced = "", bytes = "", change = ""] = found;
  return {
    resource: split.path,
    path: split.rest.slice(0, slash),
    timeMs: Number.parseInt(time, RADIX),
    replaced: Number.parseInt(replaced, RADIX),
    bytes: Number.parseInt(bytes, RADIX),
    change: CHANGES[change] ?? "updated",
  };
}
