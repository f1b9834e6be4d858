import { describe, expect, test } from "@jest/globals";
import type { ObjectMeta } from "../values/api-object";
import { type Dependent, deletionReasons } from "./deletion-reasons";

const reasons = (metadata: Partial<ObjectMeta>, dependents: readonly Dependent[] = [], isProtected = false) =>
  deletionReasons({
    object: { metadata: { name: "a", ...metadata } },
    protection: "example.com/protected",
    namespace: { metadata: { name: "n", annotations: isProtected ? { "example.com/protected": "true" } : {} } },
    dependents,
  });

describe("the reasons against a deletion", () => {
  test("are none for an ordinary object", () => expect(reasons({})).toEqual([]));

  test("name the annotations of the object and of its namespace, and the finalizers", () => {
    const found = reasons({ annotations: { "example.com/protected": "true" }, finalizers: ["a/b"] }, [], true);
    expect(found).toEqual([
      expect.stringContaining("The object is protected"),
      expect.stringContaining("Its namespace is protected"),
      expect.stringContaining("a/b"),
    ]);
    expect(reasons({ annotations: { "example.com/protected": "false" } })).toEqual([]);
  });

  test("name the finalizers that a deletion waits for", () => {
    const found = reasons({ deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a/b", "orphan"] });
    expect(found).toEqual([
      expect.stringContaining("requested at 2026-01-01"),
      expect.stringContaining("a/b waits for its controller"),
      expect.stringContaining("owner references"),
    ]);
  });

  test("name the dependents that block a deletion in the foreground, and how long its grace period is", () => {
    const dependents = Array.from({ length: 7 }, (_, index) => ({
      kind: "Pod",
      name: `p${index}`,
      isBlocking: index > 0,
    }));
    const found = reasons(
      { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 30, finalizers: ["foregroundDeletion"] },
      dependents,
    );
    expect(found.join(" ")).toContain("30 s");
    expect(found.join(" ")).toContain("Pod p1, Pod p2, Pod p3, Pod p4, Pod p5 and 1 more");
  });
});
