// RuntimeClass plugin: sets the pod overhead and scheduling constraints of the runtime class. Source:
// plugin/pkg/admission/runtimeclass/admission.go.
import { type AdmissionRequest, sameJson } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { MaybePromise } from "../contract/dependencies";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { cachedOrStored } from "../pods/cached-or-stored";
import { ON_NEW_PODS, specOf, textsIn } from "../pods/pod-parts";
import { mergeTolerations, setTolerations, tolerationsOf } from "../pods/tolerations";

export const runtimeClass = definePlugin({
  name: "RuntimeClass",
  reads: ["vocabulary", "options", "objects"],
  make({ vocabulary: { groups }, options, objects }) {
    const resource = { group: groups.node, resource: "runtimeclasses" };
    const classes = objects.lister(resource);
    const withOverhead = options.isOn("PodOverhead");

    /** Returns the pod's class. @throws StatusError Forbidden (403) when it does not exist */
    function classOf(request: AdmissionRequest, spec: JsonObject): MaybePromise<JsonObject | undefined> {
      const name = spec["runtimeClassName"];
      if (typeof name !== "string") return undefined;
      const known = (found: JsonObject | undefined): JsonObject => {
        if (found === undefined)
          throw forbidden(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
        return found;
      };
      const at = { namespace: "", name };
      const found = cachedOrStored(classes.find(at), objects, resource, at);
      return found instanceof Promise ? found.then(known) : known(found);
    }

    function apply(request: AdmissionRequest, spec: JsonObject, of: JsonObject | undefined): void {
      if (of === undefined) return;
      if (withOverhead) setOverhead(request, spec, of);
      const { scheduling } = of;
      if (isObject(scheduling)) schedule(request, spec, scheduling);
    }

    return {
      on: ON_NEW_PODS,
      mutate(request) {
        const spec = specOf(request.object);
        if (spec === undefined) return;
        const found = classOf(request, spec);
        return found instanceof Promise ? found.then((of) => apply(request, spec, of)) : apply(request, spec, found);
      },
      ...(withOverhead && {
        validate(request) {
          const spec = specOf(request.object);
          if (spec === undefined) return;
          const found = classOf(request, spec);
          const judge = (of: JsonObject | undefined) => judgeOverhead(request, spec, of);
          return found instanceof Promise ? found.then(judge) : judge(found);
        },
      }),
    };
  },
});

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const OVERHEAD_OF_NONE = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";

/** Returns the overhead of the class; undefined when it has none. */
function overheadOf(of: JsonObject | undefined): JsonObject | undefined {
  const overhead = of?.["overhead"];
  return isObject(overhead) ? amounts(overhead["podFixed"]) : undefined;
}

const amounts = (value: unknown): JsonObject => (isObject(value) ? value : {});

function setOverhead(request: AdmissionRequest, spec: JsonObject, of: JsonObject): void {
  const overhead = overheadOf(of);
  if (overhead === undefined) return;
  const given = spec["overhead"] ?? null;
  if (given !== null && !sameJson(given, overhead)) throw forbidden(request, OTHER_OVERHEAD);
  if (Object.keys(overhead).length > 0) spec["overhead"] = { ...overhead };
}

function judgeOverhead(request: AdmissionRequest, spec: JsonObject, of: JsonObject | undefined): void {
  const overhead = overheadOf(of);
  const given = spec["overhead"] ?? null;
  if (overhead === undefined) {
    if (given !== null) throw forbidden(request, OVERHEAD_OF_NONE);
  } else if (!sameJson(amounts(given), overhead)) throw forbidden(request, OTHER_OVERHEAD);
}

function schedule(request: AdmissionRequest, spec: JsonObject, scheduling: JsonObject): void {
  const own = textsIn(spec, "nodeSelector");
  const wanted = textsIn(scheduling, "nodeSelector");
  for (const key of Object.keys(wanted)) {
    if (!Object.hasOwn(own, key) || own[key] === wanted[key]) continue;
    const sides = `runtimeClass.scheduling.nodeSelector[${key}] = ${wanted[key]}; pod.spec.nodeSelector[${key}] = ${own[key]}`;
    throw forbidden(request, `conflict: ${sides}`);
  }
  if (Object.keys(wanted).length > 0) spec["nodeSelector"] = { ...own, ...wanted };
  const merged = mergeTolerations(tolerationsOf(spec), tolerationsOf(scheduling));
  if (merged.length > 0) setTolerations(spec, merged);
}
