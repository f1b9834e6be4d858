import { addQuantities, type JsonObject, parseQuantity, type Quantity, quantityText } from "@orch/schema";
import { column, fact, itemsAt, type KindView, textAt } from "../kind-view";
import { podFacts, podSections, podShows } from "./pod-template";

export const POD: KindView = {
  facts: [
    fact("Node", "spec.nodeName", "<none>"),
    fact("Status", "status.phase"),
    fact("Reason", "status.reason"),
    fact("Message", "status.message"),
    fact("IP", "status.podIP"),
    fact("QoS Class", "status.qosClass"),
    ...podFacts("spec"),
  ],
  sections: podSections("spec"),
  shows: [
    ...podShows("spec"),
    ...["spec.nodeName", "status.phase", "status.reason", "status.message", "status.podIP", "status.qosClass"],
    ...["status.containerStatuses", "status.initContainerStatuses", "status.ephemeralContainerStatuses"],
  ],
};

const RESOURCES = ["cpu", "memory", "ephemeral-storage"];
const PODS = "pods";

/** Sums of the containers of pods. Source: Kubernetes documentation, "Resource Management for Pods and Containers". */
function sums(pods: readonly JsonObject[], amounts: "requests" | "limits"): ReadonlyMap<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const pod of pods) {
    for (const container of itemsAt(pod, "spec.containers")) {
      for (const [resource, text] of Object.entries((container["resources"] as JsonObject)?.[amounts] ?? {})) {
        const amount = parseQuantity(String(text));
        const before = total.get(resource);
        if (amount !== undefined) total.set(resource, before === undefined ? amount : addQuantities(before, amount));
      }
    }
  }
  return total;
}

function percent(part: Quantity | undefined, whole: string | undefined): string {
  const all = whole === undefined ? undefined : parseQuantity(whole);
  if (part === undefined) return "0";
  if (all === undefined || all.nanos === 0n) return quantityText(part);
  return `${quantityText(part)} (${(part.nanos * 100n) / all.nanos}%)`;
}

export const NODE: KindView = {
  facts: [
    ["Unschedulable", ({ spec }) => String((spec as JsonObject | undefined)?.["unschedulable"] === true)],
    [
      "Taints",
      (node) =>
        itemsAt(node, "spec.taints")
          .map((taint) => `${textAt(taint, "key")}=${textAt(taint, "value") ?? ""}:${textAt(taint, "effect")}`)
          .join(", ") || "<none>",
    ],
    [
      "Addresses",
      (node) =>
        itemsAt(node, "status.addresses")
          .map((each) => `${textAt(each, "address")} (${textAt(each, "type")})`)
          .join(", ") || undefined,
    ],
  ],
  sections: [
    {
      title: "Resources",
      items: (node, { found }) => {
        const pods = found.get(PODS);
        const [requests, limits] = [sums(pods ?? [], "requests"), sums(pods ?? [], "limits")];
        const [capacity, allocatable] = ["capacity", "allocatable"].map(
          (each) => ((node["status"] as JsonObject | undefined)?.[each] ?? {}) as JsonObject,
        ) as [JsonObject, JsonObject];
        const names = [...new Set([...RESOURCES, ...Object.keys(capacity)])].filter(
          (name) => capacity[name] !== undefined || requests.has(name),
        );
        return names.map((name) => {
          const whole = textAt({ whole: allocatable[name] ?? capacity[name] ?? "" }, "whole");
          const isOfPods = name === PODS;
          return {
            ...{ name, capacity: capacity[name] ?? "", allocatable: allocatable[name] ?? "" },
            requests:
              pods === undefined ? "unknown" : isOfPods ? String(pods.length) : percent(requests.get(name), whole),
            limits: pods === undefined ? "unknown" : isOfPods ? "-" : percent(limits.get(name), whole),
          };
        });
      },
      columns: [
        column("Resource", "name"),
        column("Capacity", "capacity"),
        column("Allocatable", "allocatable"),
        column("Requests", "requests"),
        column("Limits", "limits"),
      ],
    },
    {
      title: "Pods",
      items: (_, { found }) => found.get(PODS),
      columns: [
        column("Namespace", "metadata.namespace"),
        column("Name", "metadata.name"),
        ["CPU Requests", (pod) => quantityOf(pod, "cpu")],
        ["Memory Requests", (pod) => quantityOf(pod, "memory")],
        column("Status", "status.phase"),
      ],
    },
  ],
  shows: ["spec.unschedulable", "spec.taints", "status.addresses", "status.capacity", "status.allocatable"],
  questions: (node) => [
    {
      name: PODS,
      resource: "pods",
      allNamespaces: true,
      fieldSelector: `spec.nodeName=${textAt(node, "metadata.name")}`,
      isWanted: (pod) => !["Succeeded", "Failed"].includes(textAt(pod, "status.phase") ?? ""),
    },
  ],
};

function quantityOf(pod: JsonObject, resource: string): string {
  const found = sums([pod], "requests").get(resource);
  return found === undefined ? "0" : quantityText(found);
}
