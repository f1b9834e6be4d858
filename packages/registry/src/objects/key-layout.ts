// Where a resource's objects lie in the key space: `<prefix>/<group or core>/<resource>/[<namespace>/]<name>`.
// Source: architecture, "Store".

/** The keys of one resource. `end` is the first key behind them all. */
export interface KeySpace {
  /** `<prefix>/<group or core>/<resource>/` */
  readonly start: string;
  readonly end: string;
}

/** Names a resource's place: `<group or core>/<resource>`. */
export type ResourcePath = string;

export function resourcePath(group: string, plural: string): ResourcePath {
  return `${group === "" ? "core" : group}/${plural}`;
}

export function keySpaceOf(prefix: string, path: ResourcePath): KeySpace {
  return { start: `${prefix}/${path}/`, end: `${prefix}/${path}0` };
}

/** Every key of every resource under a prefix. */
export function wholeKeySpace(prefix: string): KeySpace {
  return { start: `${prefix}/`, end: `${prefix}0` };
}

/** A key's last part, as the tree of its resource knows it: `[<namespace>/]<name>`. */
export function objectPath(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/**
 * Takes a store key apart.
 * @returns undefined for keys that are no object's: outside the prefix, or too short
 */
export function splitKey(prefix: string, key: string): { path: ResourcePath; rest: string } | undefined {
  const from = prefix.length + 1;
  if (key.charCodeAt(prefix.length) !== SLASH || !key.startsWith(prefix)) return undefined;
  const afterGroup = key.indexOf("/", from);
  const afterResource = afterGroup < 0 ? -1 : key.indexOf("/", afterGroup + 1);
  if (afterResource < 0 || afterResource + 1 === key.length) return undefined;
  return { path: key.slice(from, afterResource), rest: key.slice(afterResource + 1) };
}

const SLASH = 0x2f;
