import { expect, test } from "@jest/globals";
import type { coreV1 } from "@orch/schema";
import { groupedPod, groupKeysOf } from "./protect-pod-groups";

const podWith = (spec: object): coreV1.Pod => ({ metadata: { name: "p", namespace: "shop" }, spec }) as coreV1.Pod;

test.each<[string, object, readonly string[]]>([
  ["no group", { containers: [] }, []],
  ["a group without a name", { containers: [], schedulingGroup: {} }, []],
  ["the group that it names", { containers: [], schedulingGroup: { podGroupName: "gang" } }, ["shop/gang"]],
])("a pod uses %s", (_what, spec, expected) => expect(groupKeysOf(podWith(spec))).toEqual(expected));

test("the cache keeps the group of a pod and not its containers", () => {
  const kept = groupedPod(podWith({ containers: [{ name: "c" }], schedulingGroup: { podGroupName: "gang" } }));
  expect(kept).toMatchObject({ metadata: { name: "p" }, spec: { schedulingGroup: { podGroupName: "gang" } } });
  expect(kept.spec).not.toHaveProperty("containers");
});
