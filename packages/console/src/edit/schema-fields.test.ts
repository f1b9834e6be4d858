import { describe, expect, test } from "@jest/globals";
import { exampleOf } from "./example";
import { fieldsAt, type Schemas, valuesAt } from "./schema-fields";

const SCHEMAS: Schemas = {
  Root: {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [{ $ref: "#/components/schemas/Meta" }] },
      spec: { description: "The wish.", allOf: [{ $ref: "#/components/schemas/Spec" }] },
      status: { type: "object", properties: { ready: { type: "boolean" } }, required: ["ready"] },
    },
  },
  Meta: { type: "object", properties: { labels: { type: "object", additionalProperties: { type: "string" } } } },
  Spec: {
    type: "object",
    required: ["items", "mode"],
    properties: {
      note: { type: "string" },
      mode: { type: "string", enum: ["fast", "safe"] },
      items: { type: "array", items: { $ref: "#/components/schemas/Item" } },
      self: { $ref: "#/components/schemas/Spec" },
    },
  },
  Item: {
    type: "object",
    required: ["name", "port"],
    properties: { name: { type: "string" }, port: { type: "integer", default: 80 }, on: { type: "boolean" } },
  },
};
const ROOT = SCHEMAS["Root"] ?? {};
const names = (path: readonly (string | number)[]) => fieldsAt(SCHEMAS, ROOT, path).map(({ name }) => name);

describe("the fields of a schema", () => {
  test("are found through references and lists, the required ones first", () => {
    expect(names([])).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
    expect(names(["spec"])).toEqual(["mode", "items", "note", "self"]);
    expect(names(["spec", "items", 0])).toEqual(["name", "port", "on"]);
    expect(names(["spec", "self", "self", "items", 7])).toEqual(["name", "port", "on"]);
    expect(names(["metadata", "labels", "x"])).toEqual([]);
    expect(names(["unknown", "deep"])).toEqual([]);
  });

  test("have a type and a description", () => {
    const [mode, items] = fieldsAt(SCHEMAS, ROOT, ["spec"]);
    expect([mode?.type, items?.type]).toEqual(["string", "list of object"]);
    expect(fieldsAt(SCHEMAS, ROOT, []).find(({ name }) => name === "spec")?.description).toBe("The wish.");
  });

  test("list their values", () => {
    expect(valuesAt(SCHEMAS, ROOT, ["spec", "mode"])).toEqual(["fast", "safe"]);
    expect(valuesAt(SCHEMAS, ROOT, ["spec", "items", 0, "on"])).toEqual(["true", "false"]);
  });
});

describe("the example of a schema", () => {
  test("has the required fields of the wish, and no status", () => {
    const place = { apiVersion: "example.com/v1", kind: "Root", namespace: "shop" };
    expect(exampleOf(SCHEMAS, ROOT, place)).toEqual({
      apiVersion: "example.com/v1",
      kind: "Root",
      metadata: { name: "example", namespace: "shop" },
      spec: { mode: "fast", items: [{ name: "", port: 80 }] },
    });
  });

  test("is the identity alone without a schema", () => {
    expect(exampleOf({}, {}, { apiVersion: "v1", kind: "X", namespace: undefined })).toEqual({
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "example" },
    });
  });
});
