// A new node takes no pods before somebody has seen that it is ready. Source: facts, admission/plugins.md "Pod mutation and placement plugins".

import { definePlugin } from "../plugin";
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
