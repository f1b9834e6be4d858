// TaintNodesByCondition plugin: taints new nodes as not ready, so that no pod is scheduled before the node is ready.
// Source: plugin/pkg/admission/nodetaint/admission.go.

import { definePlugin } from "../contract/plugin";
import { objectsIn, specToChange } from "../pods/pod-parts";

const EFFECT = "NoSchedule";

export const taintNodesByCondition = definePlugin({
  name: "TaintNodesByCondition",
  reads: ["vocabulary"],
  make: ({ vocabulary: { taints } }) => ({
    on: [{ operations: ["CREATE"], resources: [{ group: "", plural: "nodes", subresource: "" }] }],
    mutate({ object }) {
      if (object === undefined) return;
      const spec = specToChange(object);
      const known = objectsIn(spec, "taints");
      if (known.some(({ key, effect }) => key === taints.nodeNotReady && effect === EFFECT)) return;
      spec["taints"] = [...known, { key: taints.nodeNotReady, effect: EFFECT }];
    },
  }),
});
