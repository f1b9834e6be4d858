// Usage of pods. Source: pkg/quota/v1/evaluator/core/pods.go.

import { HUGE_PAGES, isExtendedResource, isHugePages, isNative, objectsAt } from "@orch/apis-model";
import { metaOf } from "@orch/machinery";
import { existsIn, isObject, type JsonObject, type JsonValue, type Quantity, type Vocabulary } from "@orch/schema";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import { hasDeadline, podInScope } from "./pod-scopes";
import { largest, NO_USAGE, ONE, sum, type Usage, usageOf } from "./usage";

const COUNT = "count/pods";

const COMPUTE = ["cpu", "memory", "ephemeral-storage"] as const;

const NAMES: ReadonlySet<string> = new Set([
  COUNT,
  "pods",
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** Names that every pod must set when a quota limits them. */
const TO_BE_SET: ReadonlySet<string> = new Set(
  ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);

/** Releases with extended resources that device classes serve under their own names. */
const CLASS_RESOURCES = { since: "1.34" };

/** Releases that add the pod overhead. */
const OVERHEAD = { since: "1.21" };

const CONTAINER_LISTS = ["containers", "initContainers"] as const;

export function podsEvaluator(vocabulary: Vocabulary, release: string): QuotaEvaluator {
  const addsOverhead = existsIn(OVERHEAD, release);
  const { deviceclassResource, requestsDeviceclassResource } = vocabulary.resourceNames;
  const ofClass = existsIn(CLASS_RESOURCES, release) ? deviceclassResource : undefined;
  const isExtended = (name: string): boolean =>
    isExtendedResource(name, vocabulary) || (ofClass !== undefined && name.startsWith(ofClass));

  /** Returns the usage names of requests and limits. */
  function named({ requests, limits }: Demands): Usage {
    const usage = new Map<string, Quantity>();
    for (const [name, quantity] of requests) {
      if ((COMPUTE as readonly string[]).includes(name) || isHugePages(name)) usage.set(name, quantity);
      else if (!isExtended(name)) continue;
      usage.set(`requests.${name}`, quantity);
    }
    for (const name of COMPUTE) {
      const quantity = limits.get(name);
      if (quantity !== undefined) usage.set(`limits.${name}`, quantity);
    }
    return usage;
  }

  function effective(spec: JsonObject): Demands {
    let all = NO_DEMANDS;
    for (const each of objectsAt(spec, "containers").map(demandsOf)) all = combined(sum, all, each);
    for (const each of objectsAt(spec, "initContainers").map(demandsOf)) all = combined(largest, all, each);
    if (!addsOverhead || !isObject(spec["overhead"])) return all;
    const overhead = usageOf(spec["overhead"]);
    return combined(sum, all, { requests: overhead, limits: overhead });
  }

  return {
    resource: { group: "", resource: "pods" },
    chargesUpdates: false,
    chargesUpdate: (old, pod) => hasDeadline(old) !== hasDeadline(pod),
    knows: (name) =>
      NAMES.has(name) ||
      isHugePages(name) ||
      name.startsWith(`requests.${HUGE_PAGES}`) ||
      (name.startsWith("requests.") && !isNative(name, vocabulary)) ||
      (ofClass !== undefined && name.startsWith(requestsDeviceclassResource)),
    usage(pod, { nowMs }) {
      if (!isLive(pod, nowMs)) return new Map([[COUNT, ONE]]);
      const { spec } = pod;
      return new Map([[COUNT, ONE], ["pods", ONE], ...named(isObject(spec) ? effective(spec) : NO_DEMANDS)]);
    },
    inScope: (pod, scope) => podInScope(pod, scope, release),
    missing({ spec }, names) {
      const toBeSet = names.filter((name) => TO_BE_SET.has(name));
      if (toBeSet.length === 0 || !isObject(spec)) return [];
      const containers = CONTAINER_LISTS.flatMap((list) => objectsAt(spec, list)).map((each) => named(demandsOf(each)));
      return toBeSet.filter((name) => containers.some((set) => !set.has(name))).sort();
    },
    essence,
    endsAtMs: (pod) => (hasEnded(pod) ? undefined : graceEndsMs(pod)),
  };
}

interface Demands {
  readonly requests: Usage;
  readonly limits: Usage;
}

const NO_DEMANDS: Demands = { requests: NO_USAGE, limits: NO_USAGE };

function demandsOf({ resources }: JsonObject): Demands {
  if (!isObject(resources)) return NO_DEMANDS;
  return { requests: usageOf(resources["requests"]), limits: usageOf(resources["limits"]) };
}

const combined = (how: (one: Usage, other: Usage) => Usage, one: Demands, other: Demands): Demands => ({
  requests: how(one.requests, other.requests),
  limits: how(one.limits, other.limits),
});

const hasEnded = ({ status }: JsonObject): boolean =>
  isObject(status) && (status["phase"] === "Succeeded" || status["phase"] === "Failed");

/** Returns the end of the grace period of a pod that is being deleted. */
function graceEndsMs(pod: JsonObject): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metaOf(pod);
  if (typeof deletionTimestamp !== "string" || typeof deletionGracePeriodSeconds !== "number") return undefined;
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function isLive(pod: JsonObject, nowMs: number): boolean {
  const endsMs = graceEndsMs(pod);
  return !hasEnded(pod) && (endsMs === undefined || nowMs <= endsMs);
}

const SPEC_FIELDS = ["activeDeadlineSeconds", "priorityClassName", "overhead", "affinity"] as const;

function essence(pod: JsonObject): JsonObject {
  const { spec, status } = pod;
  const kept: JsonObject = {};
  const given = isObject(spec) ? spec : {};
  for (const list of CONTAINER_LISTS) {
    const containers = objectsAt(given, list);
    if (containers.length > 0) kept[list] = containers.map(({ resources = {} }) => ({ resources }));
  }
  for (const field of SPEC_FIELDS) if (given[field] !== undefined) kept[field] = given[field] as JsonValue;
  return { metadata: countedMeta(pod), spec: kept, ...(isObject(status) && statusEssence(status)) };
}

function statusEssence({ phase, qosClass, extendedResourceClaimStatus: claim }: JsonObject): JsonObject {
  if (phase === undefined && qosClass === undefined && claim === undefined) return {};
  const { resourceClaimName = "" } = isObject(claim) ? claim : {};
  const named = claim === undefined ? {} : { extendedResourceClaimStatus: { resourceClaimName } };
  return { status: { ...(phase !== undefined && { phase }), ...(qosClass !== undefined && { qosClass }), ...named } };
}
