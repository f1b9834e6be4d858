// Preparation of new and changed pods before their validation. Source: pkg/registry/core/pod/strategy.go.

import { fieldAt, objectAt, objectsAt, type RuleContext } from "@orch/apis-model";
import { isInt64, isObject, type JsonObject, nextInteger } from "@orch/schema";
import { fillAppArmorFields } from "../containers/app-armor";
import { mergeLabelKeys } from "./label-keys";
import { isSameSpec } from "./pod-spec-comparison";
import { matchAccountNames } from "./pod-spec-defaults";
import { qualityOfService } from "./quality-of-service";
import { matchSeccomp } from "./seccomp";

export function beginPending(pod: JsonObject, { vocabulary, features, request }: RuleContext): void {
  if (!features.since("1.27")) matchSeccomp(pod, vocabulary);
  const spec = objectAt(pod, "spec");
  matchAccountNames(spec);
  const status: JsonObject = { phase: "Pending", qosClass: qualityOfService(spec, features) };
  pod["status"] = status;
  if (features.isOn("PodObservedGenerationTracking")) objectAt(pod, "metadata")["generation"] = 1;
  if (features.isOn("PodSchedulingReadiness") && objectsAt(spec, "schedulingGates").length > 0) {
    status["conditions"] = [gated(request?.now ?? null)];
  }
  mergeLabelKeys(pod, features);
  const { terminationGracePeriodSeconds: seconds } = spec;
  if (typeof seconds === "number" && seconds < 0 && features.since("1.26")) spec["terminationGracePeriodSeconds"] = 1;
  if (features.isOn("AppArmorFields")) fillAppArmorFields(pod, vocabulary);
}

const gated = (now: string | null): JsonObject => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
});

/** Increments the generation when the spec has changed. Source: KEP-5067, "Pod Generation". */
export function countSpecChange(pod: JsonObject, old: JsonObject, { features }: Pick<RuleContext, "features">): void {
  if (!features.isOn("PodObservedGenerationTracking") || isSameSpec(pod["spec"], old["spec"])) return;
  const generation = fieldAt(old, ["metadata", "generation"]);
  objectAt(pod, "metadata")["generation"] = nextInteger(
    generation !== undefined && isInt64(generation) ? generation : 0,
  );
}

/**
 * Keeps what a writer of the status leaves out: the class of service, which never changes, and the observed
 * generations, which older node agents do not know.
 */
export function keepObservations(pod: JsonObject, old: JsonObject, { features }: Pick<RuleContext, "features">): void {
  if (features.since("1.26")) matchAddresses(pod);
  if (!features.isOn("PodObservedGenerationTracking")) return;
  const { status: before } = old;
  const { status } = pod;
  if (!isObject(status) || !isObject(before)) return;
  keepField(status, before, "qosClass");
  keepField(status, before, "observedGeneration");
  const conditions = objectsAt(status, "conditions");
  if (conditions.every(isObserved)) return;
  const kept = objectsAt(before, "conditions");
  if (!kept.some(isObserved)) return;
  const former = new Map<unknown, JsonObject[]>();
  for (const condition of kept) {
    const { type = "" } = condition;
    former.set(type, [...(former.get(type) ?? []), condition]);
  }
  for (const condition of conditions) {
    const same = former.get(condition["type"] ?? "")?.shift();
    if (same !== undefined) keepField(condition, same, "observedGeneration");
  }
}

/**
 * Keeps the address equal to the first one of the list. When they differ, a writer of the status that knows only one
 * address has changed it. Source: pkg/apis/core/v1/conversion.go.
 */
function matchAddresses({ status }: JsonObject): void {
  if (!isObject(status)) return;
  const { podIP } = status;
  const [first] = objectsAt(status, "podIPs");
  if (!podIP) keepField(status, { podIP: first?.["ip"] ?? "" }, "podIP");
  else if (first?.["ip"] !== podIP) status["podIPs"] = [{ ip: podIP }];
}

const isObserved = ({ observedGeneration }: JsonObject): boolean => Boolean(observedGeneration);

function keepField(to: JsonObject, from: JsonObject, name: string): void {
  if (!to[name] && from[name]) to[name] = from[name];
}
