import { describe, expect, test } from "@jest/globals";
import type { ApiObject } from "./api-object";
import { fieldManagersOf, managersAt } from "./field-managers";

const OBJECT: ApiObject = {
  metadata: {
    name: "web",
    labels: { "app/name": "web", tier: "a" },
    finalizers: ["a.example/x", "b.example/y"],
    managedFields: [
      {
        manager: "kubectl",
        operation: "Apply",
        time: "2026-01-01T00:00:00Z",
        fieldsV1: {
          "f:metadata": { "f:labels": { ".": {}, "f:app/name": {} }, "f:finalizers": { 'v:"b.example/y"': {} } },
          "f:spec": {
            "f:containers": { 'k:{"name":"side"}': { ".": {}, "f:image": {} } },
            "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { "f:port": {} } },
            "f:selector": {},
            "f:gone": {},
          },
        },
      },
      { manager: "scaler", operation: "Update", subresource: "scale", fieldsV1: { "f:spec": { "f:selector": {} } } },
      { manager: "broken", operation: "Update", fieldsV1: { "f:spec": { "f:containers": { "k:{": {}, "x:1": {} } } } },
    ],
  },
  spec: {
    containers: [{ name: "main" }, { name: "side", image: "i", args: ["a"] }],
    ports: [{ port: 443 }, { port: 80 }],
    selector: { app: { deep: 1 } },
  },
};

describe("field managers", () => {
  const managers = fieldManagersOf(OBJECT);
  const at = (pointer: string) => managersAt(managers, pointer).map(({ name }) => name);

  test.each<[string, string, readonly string[]]>([
    ["a field", "/spec/containers/1/image", ["kubectl"]],
    ["a name with a slash", "/metadata/labels/app~1name", ["kubectl"]],
    ["an item that is chosen by its keys", "/spec/containers/1", ["kubectl"]],
    ["an item whose key has a default", "/spec/ports/1/port", ["kubectl"]],
    ["an item of a set", "/metadata/finalizers/1", ["kubectl"]],
    ["a field of several managers", "/spec/selector", ["kubectl", "scaler"]],
    ["a part of a field that is owned as a whole", "/spec/selector/app/deep", ["kubectl", "scaler"]],
    ["an item that no manager has", "/spec/containers/0", []],
    ["a field without managers", "/status", []],
  ])("own %s", (_what, pointer, expected) => expect(at(pointer)).toEqual(expected));

  test("have no fields that the object does not have", () => {
    expect([...managers.keys()].filter((pointer) => pointer.includes("gone"))).toEqual([]);
  });
});
