// Layout of the keys in the store: `<prefix>/<group or core>/<resource>/[<namespace>/]<name>`.

/** The keys of one resource. `end` is the first key after them. */
export interface KeySpace {
  /** `<prefix>/<group or core>/<resource>/` */
  readonly start: string;
  readonly end: string;
}

/** Name of a resource in keys: `<group or core>/<resource>`. */
export type ResourcePath = string;

export function resourcePath(group: string, plural: string): ResourcePath {
  return `${group === "" ? "core" : group}/${plural}`;
}

export function keySpaceOf(prefix: string, path: ResourcePath): KeySpace {
  return { start: `${prefix}/${path}/`, end: `${prefix}/${path}0` };
}

/** Returns the keys of the namespaces. */
export const namespaceKeys = (prefix: string): KeySpace => keySpaceOf(prefix, resourcePath("", "namespaces"));

/** Returns the range of all keys under a prefix. */
export function wholeKeySpace(prefix: string): KeySpace {
  return { start: `${prefix}/`, end: `${prefix}0` };
}

/** Returns the last part of a key, the key in the tree of the resource: `[<namespace>/]<name>`. */
export function objectPath(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/**
 * Splits a store key.
 * @returns undefined for keys that cannot be an object's: outside the prefix, or too short
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
