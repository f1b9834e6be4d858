import { expect, test } from "@jest/globals";
import { encodeJson } from "../index";

test.each([
  [
    { metadata: { name: "a" }, data: {}, kind: "K", apiVersion: "v1" },
    '{"kind":"K","apiVersion":"v1","metadata":{"name":"a"},"data":{}}',
  ],
  [{ kind: "K", apiVersion: "v1", metadata: {}, spec: 1 }, '{"kind":"K","apiVersion":"v1","metadata":{},"spec":1}'],
  [{ kind: "K", apiVersion: "v1", spec: 1, metadata: {} }, '{"kind":"K","apiVersion":"v1","metadata":{},"spec":1}'],
  [{ metadata: {}, spec: 1 }, '{"metadata":{},"spec":1}'],
  [{ metadata: {}, kind: "K" }, '{"kind":"K","metadata":{}}'],
  [{}, "{}"],
])("kind, apiVersion and metadata come first: %j", (object, text) => expect(encodeJson(object)).toBe(text));
