import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { limitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology";

const HOST = "orch.io/hostname";
const terms = (...keys: readonly (string | undefined)[]): JsonObject[] =>
  keys.map((topologyKey) => ({ ...(topologyKey !== undefined && { topologyKey }) }));
const apart = (...keys: readonly (string | undefined)[]): JsonObject => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms(...keys) },
});

test.each<[what: string, affinity: JsonObject | undefined, key: string | undefined]>([
  ["none", undefined, undefined],
  ["an empty one", {}, undefined],
  ["no terms", apart(), undefined],
  ["an empty rule", { podAntiAffinity: {} }, undefined],
  ["other pods off the node", apart(HOST), undefined],
  ["other pods off the node, twice", apart(HOST, HOST), undefined],
  ["other pods off the zone", apart("topology.orch.io/zone"), "topology.orch.io/zone"],
  ["the first of several", apart("rack", "row"), "rack"],
  ["one behind a good one", apart(HOST, "rack"), "rack"],
  ["no key", apart(undefined), ""],
  ["an empty key", apart(""), ""],
  ["the label's former name", apart("beta.orch.io/hostname"), "beta.orch.io/hostname"],
  [
    "a preference",
    {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: "rack" } }],
      },
    },
    undefined,
  ],
  ["being together", { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms("rack") } }, undefined],
])("affinity that asks for %s", async (_what, affinity, key) => {
  const pod = podOf(affinity && { affinity });
  const refusal = `403 pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${HOST} is allowed`;
  const expected = key === undefined ? pod : refusal;
  expect(await outcomeOf(limitPodHardAntiAffinityTopology, newPod(pod))).toEqual(expected);
  expect(await outcomeOf(limitPodHardAntiAffinityTopology, changedPod(pod, pod))).toEqual(expected);
  expect(await outcomeOf(undefined, newPod(pod))).toEqual(pod);
  expect(await outcomeOf(limitPodHardAntiAffinityTopology, newPod(pod, { subresource: "eviction" }))).toEqual(pod);
});
