// Members of JSON objects whose names come from outside. JSON.parse makes `__proto__` a member like any other, and so do spreads and
// Object.fromEntries; only an assignment takes it for what the object inherits, and only a look finds what every object inherits.
import type { JsonObject, JsonValue } from "./json";

const PROTOTYPE = "__proto__";

/** Sets a member, whatever its name is. */
export function setMember(object: JsonObject, name: string, value: JsonValue): void {
  if (name === PROTOTYPE) definePrototype(object, value);
  else object[name] = value;
}

/** @returns undefined for what the object does not have itself, such as `constructor` */
export function memberOf<Value>(object: { readonly [name: string]: Value }, name: string): Value | undefined {
  const value = object[name];
  // All that objects inherit are functions, which JSON does not have, and the prototype: cheaper to tell than to ask for the owner.
  if (typeof value === "function" || (name === PROTOTYPE && !Object.hasOwn(object, name))) return undefined;
  return value;
}

function definePrototype(object: JsonObject, value: JsonValue): void {
  Object.defineProperty(object, PROTOTYPE, { value, writable: true, enumerable: true, configurable: true });
}
