import { expect, test } from "@jest/globals";
import type { coreV1 } from "@orch/schema";
import { claimKeysOf, usingPod } from "./using-pods";

const pod: coreV1.Pod = {
  metadata: { name: "p", namespace: "shop", uid: "u", resourceVersion: "7", labels: { a: "b" } },
  spec: {
    nodeName: "n",
    containers: [{ name: "c", image: "i" }],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "claim" } },
      { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: "settings", configMap: { name: "m" } },
    ],
  },
  status: { phase: "Running" },
};

test("a pod uses the claims that it names, and those that are made for it", () => {
  expect(claimKeysOf(pod)).toEqual(["shop/claim", "shop/p-scratch"]);
  expect(claimKeysOf({ metadata: { name: "p" } })).toEqual([]);
});

test("the stored part of a pod gives the same result", () => {
  expect(claimKeysOf(usingPod(pod))).toEqual(claimKeysOf(pod));
  expect(usingPod(pod)).toEqual({
    metadata: { name: "p", namespace: "shop", uid: "u", resourceVersion: "7" },
    spec: { volumes: pod.spec?.volumes?.slice(0, 2) },
  });
});
