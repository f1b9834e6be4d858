import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Resource } from "../discovery/resource";
import { deliver, type Part, resourceParameter, type SharedEvent, sharedVersion } from "./shared-events";

const resource = (name: string, group = ""): Resource => ({
  group,
  version: "v1",
  name,
  kind: name,
  singular: "",
  shortNames: [],
  categories: [],
  isNamespaced: true,
  verbs: [],
  subresources: [],
  versions: ["v1"],
});

describe("a watch of several resources", () => {
  let told: string[];
  let parts: Map<string, Part>;
  const part = (name: string, version: string): Part => ({
    version,
    target: { resource: resource(name), resourceVersion: version },
    listener: {
      change: (type, object) => told.push(`${name} ${type} ${JSON.stringify(object)}`),
      lost: () => told.push(`${name} lost`),
      connection: (failure) => told.push(`${name} ${failure?.code ?? "connected"}`),
    },
  });
  const event = (
    of: string | undefined,
    type: SharedEvent["type"],
    version: string,
    more: object = {},
  ): SharedEvent => ({
    type,
    ...(of === undefined ? {} : { resource: of }),
    object: { metadata: { resourceVersion: version } },
    ...more,
  });

  beforeEach(() => {
    told = [];
    parts = new Map([
      ["v1/pods", part("pods", "100")],
      ["v1/events", part("events", "99")],
    ]);
  });

  test("begins where the part that has the least is, and repeats nothing to the others", () => {
    expect(sharedVersion(parts.values())).toBe("99");
    deliver(event("v1/pods", "MODIFIED", "100"), parts);
    deliver(event("v1/events", "ADDED", "100"), parts);
    deliver(event("v1/pods", "DELETED", "101"), parts);
    expect(told.map((text) => text.slice(0, 12))).toEqual(["events ADDED", "pods DELETED"]);
    expect(sharedVersion(parts.values())).toBe("100");
  });

  test("goes on after a bookmark", () => {
    deliver({ type: "BOOKMARK", resourceVersion: "1234", object: {} }, parts);
    expect(sharedVersion(parts.values())).toBe("1234");
    expect(told).toEqual([]);
  });

  test("tells a part that it is refused, and leaves resources that it does not know out", () => {
    deliver(event("v1/events", "REFUSED", "1", { object: { kind: "Status", code: 403 } }), parts);
    deliver(event("v1/unknown", "ADDED", "500"), parts);
    expect(told).toEqual(["events 403"]);
  });

  test("loses one part or all when the revision is no longer there", () => {
    const gone = { object: { kind: "Status", code: 410 } };
    expect(deliver(event("v1/events", "ERROR", "1", gone), parts).lost).toEqual([parts.get("v1/events")]);
    expect(deliver(event(undefined, "ERROR", "1", gone), parts).lost).toHaveLength(2);
    expect(deliver(event(undefined, "ERROR", "1", { object: { kind: "Status", code: 500 } }), parts)).toMatchObject({
      lost: [],
      failure: { code: 500 },
    });
  });
});

test("the parameter of a resource has its options", () => {
  const target = { resource: resource("deployments", "apps"), resourceVersion: "1" };
  expect(resourceParameter(target)).toBe("apps/v1/deployments");
  expect(resourceParameter({ ...target, namespace: "a", labelSelector: "x in (a,b);y", fieldSelector: "" })).toBe(
    "apps/v1/deployments;namespace=a;labelSelector=x%20in%20(a%2Cb)%3By",
  );
});
