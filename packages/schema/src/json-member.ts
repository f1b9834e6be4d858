// Access to members of JSON objects by external names. JSON.parse, spreads and Object.fromEntries treat `__proto__` as
// an ordinary member; assignment sets the prototype instead, and a lookup also finds inherited members.
import type { JsonObject, JsonValue } from "./json";

const PROTOTYPE = "__proto__";

/** Sets a member of any name. */
export function setMember(object: JsonObject, name: string, value: JsonValue): void {
  if (name === PROTOTYPE) definePrototype(object, value);
  else object[name] = value;
}

/** Returns an own member. @returns undefined for inherited ones, such as `constructor` */
export function memberOf<Value>(object: { readonly [name: string]: Value }, name: string): Value | undefined {
  const value = object[name];
  // Inherited members are functions, which JSON does not have, and the prototype. This check is cheaper than
  // Object.hasOwn.
  if (typeof value === "function" || (name === PROTOTYPE && !Object.hasOwn(object, name))) return undefined;
  return value;
}

function definePrototype(object: JsonObject, value: JsonValue): void {
  Object.defineProperty(object, PROTOTYPE, { value, writable: true, enumerable: true, configurable: true });
}
