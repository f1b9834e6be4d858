import { expect, test } from "@jest/globals";
import { keySpaceOf, orderKey, resourcePath, splitKey } from "./key-layout";

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

test("keys are ordered as their UTF-8 bytes are", () => {
  const names = ["a", "a/b", "a0", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{1f600}", "\u{10ffff}", "é"];
  const byBytes = [...names].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
  const byOrderKey = [...names].sort((x, y) => (orderKey(x) < orderKey(y) ? -1 : 1));
  expect(byOrderKey).toEqual(byBytes);
});
