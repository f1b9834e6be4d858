import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { storedDefaults } from "./stored-defaults";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const EVERY = { members: [], odd: ['"metadata":{'] };

test.each<[string, JsonObject, unknown]>([
  ["without defaults nothing is lacking", object({ a: { type: "string" } }), undefined],
  [
    "a name that stands once tells",
    object({ spec: object({ a: { default: 1 } }) }),
    { members: [{ name: "a" }], odd: [] },
  ],
  ["a name that stands twice does not", object({ a: { default: 1 }, spec: object({ a: {} }) }), EVERY],
  ["nor does one in each item of a list", object({ list: { items: object({ a: { default: 1 } }) } }), EVERY],
  ["nor one in each value of a map", object({ map: { additionalProperties: object({ a: { default: 1 } }) } }), EVERY],
])("%s", (_behaviour, schema, expected) => expect(storedDefaults(schema)).toEqual(expected));
