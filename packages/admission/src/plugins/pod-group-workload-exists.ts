// PodGroupWorkloadExists plugin: requires that the workload which a new pod group references exists and has the
// referenced template. Source: plugin/pkg/admission/podgroup/admission.go.
import { type AdmissionRequest, metaOf } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { cachedOrStored } from "../pods/cached-or-stored";
import { objectsIn } from "../pods/pod-parts";

export const podGroupWorkloadExists = definePlugin({
  name: "PodGroupWorkloadExists",
  reads: ["vocabulary", "options", "objects"],
  make({ vocabulary: { groups }, options, objects }) {
    const podGroups = { group: groups.scheduling, plural: "podgroups", subresource: "" };
    const workloads = { group: groups.scheduling, resource: "workloads" };

    async function judge(request: AdmissionRequest, { workload, template }: TemplateReference): Promise<void> {
      const at = { namespace: request.namespace, name: workload };
      const found = await cachedOrStored(objects.cached(workloads, at), objects, workloads, at);
      const quoted = JSON.stringify(workload);
      if (found === undefined) throw forbidden(request, `PodGroup rejected: Workload ${quoted} not found`);
      if (metaOf(found).deletionTimestamp !== undefined)
        throw forbidden(request, `PodGroup rejected: Workload ${quoted} is being deleted`);
      const { spec } = found;
      const templates = isObject(spec) ? objectsIn(spec, "podGroupTemplates") : [];
      if (templates.some(({ name }) => name === template)) return;
      const missing = `PodGroupTemplate ${JSON.stringify(template)} not found in Workload ${quoted}`;
      throw forbidden(request, `PodGroup rejected: ${missing}`);
    }

    return {
      on: options.isOn("GenericWorkload") ? [{ operations: ["CREATE"], resources: [podGroups] }] : [],
      validate(request) {
        const reference = referenceOf(request.object);
        return reference && judge(request, reference);
      },
    };
  },
});

interface TemplateReference {
  readonly workload: string;
  readonly template: string;
}

/** Returns the template that a pod group references; undefined for none. */
function referenceOf(podGroup: JsonObject | undefined): TemplateReference | undefined {
  const spec = podGroup?.["spec"];
  const reference = isObject(spec) ? spec["workloadRef"] : undefined;
  if (!isObject(reference)) return undefined;
  return { workload: textOf(reference["workloadName"]), template: textOf(reference["templateName"]) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
