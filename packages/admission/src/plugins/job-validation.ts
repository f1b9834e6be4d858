// JobValidation plugin: refuses a change of the parallelism of a job whose pod group is scheduled as a gang. Source:
// plugin/pkg/admission/job/admission.go.
import { type AdmissionRequest, metaOf, sameJson } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

export const jobValidation = definePlugin({
  name: "JobValidation",
  reads: ["vocabulary", "options", "objects"],
  make({ vocabulary: { groups }, options, objects }) {
    const resource = { group: groups.scheduling, resource: "podgroups" };

    /** Returns the name of the gang that runs the job; undefined when there is none. */
    async function gangOf(namespace: string, job: JsonObject): Promise<string | undefined> {
      const named = podGroupNameOf(job);
      if (named !== undefined) {
        const found = await objects.cached(resource, { namespace, name: named });
        return found !== undefined && isGang(found) ? named : undefined;
      }
      const { uid } = metaOf(job);
      for await (const { name, owners } of objects.heads(resource, namespace)) {
        if (!owners.some((owner) => owner.controller === true && owner.uid === uid)) continue;
        const found = await objects.cached(resource, { namespace, name });
        if (found !== undefined && isGang(found)) return name;
      }
      return undefined;
    }

    async function judge(request: AdmissionRequest, oldJob: JsonObject): Promise<void> {
      const gang = await gangOf(request.namespace, oldJob);
      if (gang === undefined) return;
      const text = `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${JSON.stringify(gang)}`;
      throw forbidden(request, text);
    }

    const jobs = { group: "batch", plural: "jobs", subresource: "" };
    const isActive = options.isOn("GenericWorkload") || options.isOn("WorkloadWithJob");
    return {
      on: isActive ? [{ operations: ["UPDATE"], resources: [jobs] }] : [],
      validate(request) {
        const { object = {}, oldObject = {} } = request;
        if (sameJson(parallelismOf(object), parallelismOf(oldObject))) return;
        return judge(request, oldObject);
      },
    };
  },
});

const parallelismOf = ({ spec }: JsonObject) => (isObject(spec) ? (spec["parallelism"] ?? null) : null);

function podGroupNameOf({ spec }: JsonObject): string | undefined {
  const template = isObject(spec) ? spec["template"] : undefined;
  const podSpec = isObject(template) ? template["spec"] : undefined;
  const group = isObject(podSpec) ? podSpec["schedulingGroup"] : undefined;
  const name = isObject(group) ? group["podGroupName"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function isGang({ spec }: JsonObject): boolean {
  const policy = isObject(spec) ? spec["schedulingPolicy"] : undefined;
  return isObject(policy) && isObject(policy["gang"]);
}
