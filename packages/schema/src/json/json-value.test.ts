import { expect, test } from "@jest/globals";
import { type JsonObject, memberOf, setMember } from "./json-value";

const NAMES = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf", "__defineGetter__", "a"];

test.each(NAMES)("a member %s is set, told and copied as any other", (name) => {
  const object: JsonObject = {};
  expect(memberOf(object, name)).toBeUndefined();
  setMember(object, name, { polluted: true });
  setMember(object, name, { polluted: "yes" });
  expect(JSON.stringify(object)).toBe(`{"${name}":{"polluted":"yes"}}`);
  expect(memberOf({ ...object }, name)).toEqual({ polluted: "yes" });
  expect(object["polluted"]).toBeUndefined();
  expect(Reflect.deleteProperty(object, name)).toBe(true);
  expect(memberOf(object, name)).toBeUndefined();
});
