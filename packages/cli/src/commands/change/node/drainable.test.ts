import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { drainVerdict } from "./drainable";

const names = vocabularyOf("orch");
const owner = (kind: string): JsonObject => ({ ownerReferences: [{ kind, controller: true }] });
const NONE = { force: false, ignoreDaemonsets: false, deleteEmptydirData: false };
const LOCAL: JsonObject = { volumes: [{ name: "v", emptyDir: {} }] };

test.each<[string, JsonObject, Partial<typeof NONE>, string]>([
  ["a pod of a replica set", { metadata: owner("ReplicaSet") }, {}, "evict"],
  ["a pod without a controller", { metadata: {} }, {}, "refuse"],
  ["a pod without a controller, with force", { metadata: {} }, { force: true }, "evict"],
  ["a pod of a daemon set", { metadata: owner("DaemonSet") }, {}, "refuse"],
  ["a pod of a daemon set, ignored", { metadata: owner("DaemonSet") }, { ignoreDaemonsets: true }, "skip"],
  ["a pod with local data", { metadata: owner("ReplicaSet"), spec: LOCAL }, {}, "refuse"],
  [
    "a pod with local data, given up",
    { metadata: owner("ReplicaSet"), spec: LOCAL },
    { deleteEmptydirData: true },
    "evict",
  ],
  ["a finished pod", { metadata: {}, status: { phase: "Succeeded" }, spec: LOCAL }, {}, "evict"],
  ["a mirror pod", { metadata: { annotations: { [names.annotations.configMirror]: "x" } } }, {}, "skip"],
])("%s", (_, pod, rules, kind) => {
  expect(drainVerdict(pod, { ...NONE, ...rules }, names).kind).toBe(kind);
});
