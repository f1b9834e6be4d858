import { expect, test } from "@jest/globals";
import { ObjectSizes } from "./object-sizes";

const object = (namespace: string | undefined, managers: readonly string[], data: string) => ({
  metadata: {
    name: "a",
    ...(namespace === undefined ? {} : { namespace }),
    managedFields: managers.map((manager) => ({ manager })),
  },
  data,
});
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("objects are added up by kind, namespace and manager, the largest first", () => {
  const sizes = new ObjectSizes();
  const [small, large, bare] = [
    object("n", ["x", "x"], ""),
    object("m", ["x", "y"], "ü".repeat(500)),
    { metadata: { name: "b" } },
  ];
  sizes.add("pods", small);
  sizes.add("configmaps", large);
  sizes.add("nodes", bare);
  expect(sizes.total).toEqual({ objects: 3, bytes: bytesOf(small) + bytesOf(large) + bytesOf(bare) });
  expect(sizes.by("kind").map(([name]) => name)).toEqual(["configmaps", "pods", "nodes"]);
  expect(sizes.by("namespace")[0]).toEqual(["m", { objects: 1, bytes: bytesOf(large) }]);
  expect(sizes.by("namespace").at(-1)?.[0]).toBe("(none)");
  expect(sizes.by("manager")).toEqual([
    ["x", { objects: 2, bytes: bytesOf(small) + bytesOf(large) }],
    ["y", { objects: 1, bytes: bytesOf(large) }],
    ["(none)", { objects: 1, bytes: bytesOf(bare) }],
  ]);
});

test("the number of groups is bounded", () => {
  const sizes = new ObjectSizes();
  for (let at = 0; at < 5100; at += 1) sizes.add("pods", object(`n${at}`, [], ""));
  expect(sizes.by("namespace")).toHaveLength(5001);
  expect(sizes.by("namespace")[0]).toMatchObject(["(others)", { objects: 100 }]);
});
