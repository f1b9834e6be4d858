// PodResizeValidator plugin: refuses a resize that the node of the pod can never carry out. Source: KEP-1287, "In-place
// Update of Pod Resources"; plugin/pkg/admission/podresize/admission.go.
import { podDemands, type Usage, usageOf } from "@orch/apis-core";
import { type AdmissionRequest, metaOf } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { specOf } from "../pods/pod-parts";

const NODES = { group: "", resource: "nodes" } as const;

/** Requests as the pod asks for them, whatever its node has applied. */
const RULES = { overhead: true, overheadOfLimits: true, podResources: true, resized: false } as const;

export const podResizeValidator = definePlugin({
  name: "PodResizeValidator",
  reads: ["vocabulary", "options", "objects"],
  make({ vocabulary: { labels }, options, objects }) {
    function judge(request: AdmissionRequest, name: string, node: JsonObject | undefined): void {
      const quoted = JSON.stringify(name);
      if (node === undefined) throw forbidden(request, `node ${quoted} not found`);
      const system = metaOf(node).labels?.[labels.os];
      if (system !== undefined && system !== "linux") {
        const text = `pod resize is only supported on linux nodes, node ${quoted} is ${JSON.stringify(system)}`;
        throw forbidden(request, text, [{ reason: "UnsupportedPlatform" }]);
      }
      const { status } = node;
      const allocatable = usageOf(isObject(status) ? status["allocatable"] : undefined);
      const over = excess(podDemands(request.object ?? {}, RULES).requests, allocatable);
      if (over.length === 0) return;
      const text = `node didn't have enough allocatable resources: ${over.join("; ")}`;
      throw forbidden(request, text, [{ reason: "NodeCapacity" }]);
    }

    const resize = { group: "", plural: "pods", subresource: "resize" };
    return {
      on: options.isOn("InPlacePodVerticalScaling") ? [{ operations: ["UPDATE"], resources: [resize] }] : [],
      validate(request) {
        const { object = {}, oldObject = {} } = request;
        const name = specOf(object)?.["nodeName"];
        if (typeof name !== "string" || name === "") return undefined;
        if (metaOf(object).generation === metaOf(oldObject).generation) return undefined;
        const found = objects.cached(NODES, { namespace: "", name });
        if (found instanceof Promise) return found.then((node) => judge(request, name, node));
        return judge(request, name, found);
      },
    };
  },
});

/** Compared resources, with the nanounits of the unit in which a refusal states them. */
const COMPARED: readonly (readonly [resource: string, unit: bigint])[] = [
  ["cpu", 1_000_000n],
  ["memory", 1_000_000_000n],
];

/** Describes the requests that exceed what the node has. A resource that the node does not list is 0. */
function excess(requests: Usage, allocatable: Usage): string[] {
  return COMPARED.flatMap(([resource, unit]) => {
    const [asked, held] = [requests, allocatable].map((usage) => usage.get(resource)?.nanos ?? 0n) as [bigint, bigint];
    if (asked <= held) return [];
    const inUnits = (nanos: bigint): bigint => (nanos + unit - 1n) / unit;
    return [`${resource}, requested: ${inUnits(asked)}, allocatable: ${inUnits(held)}`];
  });
}
