import { describe, expect, test } from "@jest/globals";
import type { ApiObject } from "../values/api-object";
import { changedFields } from "./changed-fields";

const ORIGINAL: ApiObject = {
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    name: "a",
    namespace: "n",
    uid: "u",
    resourceVersion: "7",
    labels: { x: "1", y: "2" },
    managedFields: [
      { manager: "console", operation: "Apply", fieldsV1: { "f:spec": { "f:own": {} } } },
      { manager: "console", operation: "Update", fieldsV1: { "f:spec": { "f:updated": {} } } },
    ],
  },
  spec: { own: 1, updated: 2, other: 3, list: [{ name: "p", v: 1 }] },
  status: { ready: true },
};
const IDENTITY = { apiVersion: "v1", kind: "Thing", metadata: { name: "a", namespace: "n" } };
const spec = (changes: Readonly<Record<string, unknown>>) => ({
  ...ORIGINAL,
  spec: { ...(ORIGINAL["spec"] as object), ...changes },
});
const { own: _own, other: _other, ...left } = ORIGINAL["spec"] as Record<string, unknown>;

describe("the configuration of an edited object", () => {
  test("has the changed fields and those that the console has applied", () => {
    expect(changedFields(ORIGINAL, spec({ other: 4, list: [{ name: "p", v: 2 }] }), "console")).toEqual({
      configuration: { ...IDENTITY, spec: { own: 1, other: 4, list: [{ name: "p", v: 2 }] } },
      unremovable: [],
    });
  });

  test("has changed labels, and nothing that the server sets", () => {
    const metadata = { ...ORIGINAL.metadata, labels: { x: "1", y: "3" }, resourceVersion: "8", uid: "v" };
    const { configuration } = changedFields(ORIGINAL, { ...ORIGINAL, metadata, status: {} }, "console");
    expect(configuration).toEqual({
      ...IDENTITY,
      metadata: { ...IDENTITY.metadata, labels: { y: "3" } },
      spec: { own: 1 },
    });
  });

  test("lacks removed fields, of which those of others are told", () => {
    expect(changedFields(ORIGINAL, { ...ORIGINAL, spec: left }, "console")).toEqual({
      configuration: IDENTITY,
      unremovable: ["/spec/other"],
    });
  });
});
