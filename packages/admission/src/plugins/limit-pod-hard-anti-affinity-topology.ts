// LimitPodHardAntiAffinityTopology plugin: allows required pod anti-affinity only for the topology of a node. Source:
// plugin/pkg/admission/antiaffinity/admission.go.
import { isObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { ON_PODS, objectsIn, specOf } from "../pods/pod-parts";

export const limitPodHardAntiAffinityTopology = definePlugin({
  name: "LimitPodHardAntiAffinityTopology",
  reads: ["vocabulary"],
  make: ({ vocabulary: { labels } }) => ({
    on: ON_PODS,
    validate(request) {
      const affinity = specOf(request.object)?.["affinity"];
      const apart = isObject(affinity) ? affinity["podAntiAffinity"] : undefined;
      if (!isObject(apart)) return;
      for (const { topologyKey = "" } of objectsIn(apart, "requiredDuringSchedulingIgnoredDuringExecution")) {
        if (topologyKey === labels.hostname) continue;
        const text = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${topologyKey} but only key ${labels.hostname} is allowed`;
        throw forbidden(request, text);
      }
    },
  }),
});
