// ExtendedResourceToleration plugin: adds tolerations for the taints of nodes with extended resources to pods that
// request them. Source: plugin/pkg/admission/extendedresourcetoleration/admission.go.
import { isExtendedResource } from "@orch/apis";
import { definePlugin } from "../contract/plugin";
import { amountsOf, containersOf, ON_PODS, specOf } from "../pods/pod-parts";
import { putTolerations } from "../pods/tolerations";

export const extendedResourceToleration = definePlugin({
  name: "ExtendedResourceToleration",
  reads: ["vocabulary"],
  make: ({ vocabulary }) => ({
    on: ON_PODS,
    mutate({ object }) {
      const spec = specOf(object);
      if (spec === undefined) return;
      const asked = new Set<string>();
      for (const container of containersOf(spec, "containers", "initContainers")) {
        for (const name in amountsOf(container, "requests")) asked.add(name);
      }
      const devices = [...asked].filter((name) => isExtendedResource(name, vocabulary)).sort();
      putTolerations(
        spec,
        devices.map((key) => ({ key, operator: "Exists", effect: "NoSchedule" })),
      );
    },
  }),
});
