import { expect, test } from "@jest/globals";
import { keySpaceOf, resourcePath, splitKey } from "./key-layout";

test.each([
  ["/registry/core/pods/default/a", { path: "core/pods", rest: "default/a" }],
  ["/registry/apps/deployments/x", { path: "apps/deployments", rest: "x" }],
  ["/registry/apps/deployments/", undefined],
  ["/registry/apps/deployments", undefined],
  ["/registryX/apps/deployments/x", undefined],
  ["compact_rev_key", undefined],
  ["/other/apps/deployments/x", undefined],
])("%s is taken apart", (key, expected) => expect(splitKey("/registry", key)).toEqual(expected));

test("a resource's keys lie between its ends, those of a resource with a longer name do not", () => {
  const { start, end } = keySpaceOf("/registry", resourcePath("", "pods"));
  for (const inside of ["/registry/core/pods/a", "/registry/core/pods/\u{10ffff}"]) {
    expect(inside > start && inside < end).toBe(true);
  }
  expect("/registry/core/podtemplates/a" > end).toBe(true);
});
