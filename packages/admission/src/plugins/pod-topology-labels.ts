// PodTopologyLabels plugin: gives pods the zone and region labels of their node when they are bound. Source: KEP-4742,
// "Expose Node Topology Labels via Downward API"; plugin/pkg/admission/podtopologylabels/admission.go.

import { writableMeta } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";

const NODES = { group: "", resource: "nodes" } as const;
const GATE = "PodTopologyLabelsAdmission";

export const podTopologyLabels = definePlugin({
  name: "PodTopologyLabels",
  reads: ["vocabulary", "objects", "options"],
  make: ({ vocabulary: { labels }, objects, options }) => {
    const copied = [labels.topologyZone, labels.topologyRegion];
    const copy = (to: JsonObject, from: Readonly<Record<string, string>> | undefined): void => {
      const found = copied.filter((key) => from?.[key] !== undefined);
      if (found.length === 0) return;
      const meta = writableMeta(to) as JsonObject;
      const taken = Object.fromEntries(found.map((key) => [key, from?.[key] ?? ""]));
      meta["labels"] = { ...(isObject(meta["labels"]) ? meta["labels"] : {}), ...taken };
    };
    return {
      on: options.isOn(GATE)
        ? [
            {
              operations: ["CREATE"],
              resources: [
                { group: "", plural: "pods", subresource: "" },
                { group: "", plural: "pods", subresource: "binding" },
              ],
            },
          ]
        : [],
      mutate({ object }) {
        const node = object === undefined ? undefined : nodeOf(object);
        if (object === undefined || node === undefined) return undefined;
        // A node that does not exist has no labels: the pod may be bound before its node registers.
        const known = objects.labels(NODES, { namespace: "", name: node });
        if (known instanceof Promise) return known.then((found) => copy(object, found));
        return copy(object, known);
      },
    };
  },
});

/** Returns the node that a binding or a new pod names; undefined for none. */
function nodeOf(object: JsonObject): string | undefined {
  const { target, spec } = object;
  if (object["kind"] === "Binding" || isObject(target)) {
    return isObject(target) && target["kind"] === "Node" ? nameIn(target["name"]) : undefined;
  }
  return isObject(spec) ? nameIn(spec["nodeName"]) : undefined;
}

const nameIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
