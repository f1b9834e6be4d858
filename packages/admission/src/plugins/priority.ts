// Priority plugin: sets the priority of pods and pod groups from their priority class or the default class. Source:
// plugin/pkg/admission/priority/admission.go.
import { type AdmissionRequest, type MutableAdmissionRequest, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { MaybePromise } from "../contract/dependencies";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { cachedOrStored } from "../pods/cached-or-stored";
import { ON_PODS, specOf } from "../pods/pod-parts";

const POD_GROUPS = "podgroups";

const NO_CLASS: JsonObject = { value: 0, preemptionPolicy: "PreemptLowerPriority" };

export const priority = definePlugin({
  name: "Priority",
  reads: ["vocabulary", "options", "objects"],
  make({ vocabulary: { groups }, options, objects }) {
    const resource = { group: groups.scheduling, resource: "priorityclasses" };
    const podGroups = { group: resource.group, plural: POD_GROUPS, subresource: "" };
    const classes = objects.lister(resource);
    const defaults = new WeakMap<readonly JsonObject[], { readonly found: JsonObject | undefined }>();
    const withPolicy = options.isOn("NonPreemptingPriority");

    function defaultClass(): MaybePromise<JsonObject | undefined> {
      const all = classes.all();
      return all instanceof Promise ? all.then(defaultAmong) : defaultAmong(all);
    }

    function defaultAmong(all: readonly JsonObject[]): JsonObject | undefined {
      let known = defaults.get(all);
      if (known === undefined) {
        known = { found: lowestDefault(all) };
        defaults.set(all, known);
      }
      return known.found;
    }

    /** Sets what a class decides. The class of a spec that names none is the default class. */
    function give(
      request: MutableAdmissionRequest,
      spec: JsonObject,
      set: (request: AdmissionRequest, spec: JsonObject, found: JsonObject) => void,
    ): void | Promise<void> {
      const named = spec["priorityClassName"];
      if (typeof named !== "string" || named === "") {
        const taken = (found: JsonObject | undefined) => {
          if (found !== undefined) spec["priorityClassName"] = metaOf(found).name ?? "";
          set(request, spec, found ?? NO_CLASS);
        };
        const found = defaultClass();
        return found instanceof Promise ? found.then(taken) : taken(found);
      }
      const taken = (found: JsonObject | undefined) => {
        if (found === undefined) throw forbidden(request, `no PriorityClass with name ${named} was found`);
        set(request, spec, found);
      };
      const at = { namespace: "", name: named };
      const found = cachedOrStored(classes.find(at), objects, resource, at);
      return found instanceof Promise ? found.then(taken) : taken(found);
    }

    function setOnPod(
      request: AdmissionRequest,
      spec: JsonObject,
      { value: computed = 0, preemptionPolicy }: JsonObject,
    ): void {
      const given = spec["priority"] ?? null;
      if (given !== null && given !== computed)
        throw forbidden(request, notYours("integer value of priority", given, computed));
      spec["priority"] = computed;
      if (!withPolicy || typeof preemptionPolicy !== "string" || preemptionPolicy === "") return;
      const policy = spec["preemptionPolicy"] ?? null;
      if (policy !== null && policy !== preemptionPolicy) {
        throw forbidden(request, notYours("string value of PreemptionPolicy", policy, preemptionPolicy));
      }
      spec["preemptionPolicy"] = preemptionPolicy;
    }

    function setOnGroup(request: AdmissionRequest, spec: JsonObject, { value: computed = 0 }: JsonObject): void {
      const given = spec["priority"] ?? null;
      if (given !== null && given !== computed) {
        const rule = `must match the priority computed (${computed}) based on the priority class set in the spec`;
        throw forbidden(request, `priority set in the pod group (${given}) ${rule}`);
      }
      spec["priority"] = computed;
    }

    function keep(spec: JsonObject, oldSpec: JsonObject): void {
      for (const field of withPolicy ? ["priority", "preemptionPolicy"] : ["priority"]) {
        const before = oldSpec[field] ?? null;
        if ((spec[field] ?? null) === null && before !== null) spec[field] = before;
      }
    }

    const otherDefault = (request: AdmissionRequest): void | Promise<void> => {
      if (request.object?.["globalDefault"] !== true) return;
      const judge = (found: JsonObject | undefined) => {
        if (found === undefined) return;
        const name = metaOf(found).name ?? "";
        if (request.operation === "UPDATE" && name === metaOf(request.object as JsonObject).name) return;
        throw forbidden(request, `PriorityClass ${name} is already marked as default. Only one default can exist`);
      };
      const found = defaultClass();
      return found instanceof Promise ? found.then(judge) : judge(found);
    };

    return {
      on: [
        ...ON_PODS,
        ...(options.isOn("WorkloadAwarePreemption")
          ? [{ operations: ["CREATE"], resources: [podGroups] } as const]
          : []),
        {
          operations: ["CREATE", "UPDATE"],
          resources: [{ group: resource.group, plural: resource.resource, subresource: "" }],
        },
      ],
      mutate(request) {
        const { plural } = request.definition;
        const spec = specOf(request.object);
        if (spec === undefined || (plural !== "pods" && plural !== POD_GROUPS)) return;
        if (plural === POD_GROUPS) return give(request, spec, setOnGroup);
        if (request.operation === "CREATE") return give(request, spec, setOnPod);
        keep(spec, specOf(request.oldObject) ?? {});
      },
      validate: (request) => (request.definition.plural === resource.resource ? otherDefault(request) : undefined),
    };
  },
});

const notYours = (what: string, given: unknown, computed: unknown): string =>
  `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;

/** Returns the default class; of several, the one with the lowest value. */
function lowestDefault(classes: readonly JsonObject[]): JsonObject | undefined {
  let lowest: JsonObject | undefined;
  for (const each of classes) {
    if (each["globalDefault"] !== true) continue;
    if (lowest === undefined || amountOf(each) < amountOf(lowest)) lowest = each;
  }
  return lowest;
}

const amountOf = ({ value = 0 }: JsonObject): number => Number(value);
