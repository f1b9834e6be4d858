// Usage of pods. Source: pkg/quota/v1/evaluator/core/pods.go.

import {
  type FieldGate,
  featuresOf,
  HUGE_PAGES,
  isExtendedResource,
  isHugePages,
  isNative,
  objectsAt,
} from "@orch/apis-model";
import { metaOf } from "@orch/machinery";
import { existsIn, isObject, type JsonObject, type JsonValue, type Quantity, type Vocabulary } from "@orch/schema";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import {
  type Demands,
  demandEssence,
  demandRules,
  demandsOf,
  isSidecar,
  podDemands,
  setsPodResources,
} from "./pod-demands";
import { hasDeadline, podInScope } from "./pod-scopes";
import { ONE, type Usage } from "./usage";

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

/** Releases whose refusals name the containers that lack a request or limit. */
const NAMES_CONTAINERS = { since: "1.24" };

const CONTAINER_LISTS = ["containers", "initContainers"] as const;

/** @param isOn returns whether a feature gate is enabled; absent: gates have the defaults of the release */
export function podsEvaluator(
  vocabulary: Vocabulary,
  release: string,
  isOn: (gate: FieldGate) => boolean = featuresOf(release).isOn,
): QuotaEvaluator {
  const rules = demandRules(release, isOn);
  const { deviceclassResource, requestsDeviceclassResource } = vocabulary.resourceNames;
  const ofClass = existsIn(CLASS_RESOURCES, release) ? deviceclassResource : undefined;
  const namesContainers = existsIn(NAMES_CONTAINERS, release);
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
      return new Map([[COUNT, ONE], ["pods", ONE], ...named(podDemands(pod, rules))]);
    },
    inScope: (pod, scope) => podInScope(pod, scope, { release, isOn }),
    missing({ spec }, names) {
      const toBeSet = names.filter((name) => TO_BE_SET.has(name));
      if (toBeSet.length === 0 || !isObject(spec)) return undefined;
      if (rules.podResources && setsPodResources(spec)) return undefined;
      const containers = CONTAINER_LISTS.flatMap((list) => objectsAt(spec, list)).map((each) => ({
        name: String(each["name"] ?? ""),
        set: named(demandsOf(each)),
      }));
      const missing = toBeSet.sort().flatMap((name) => {
        const lacking = containers.filter(({ set }) => !set.has(name)).map((each) => each.name);
        return lacking.length === 0 ? [] : [{ name, lacking: [...new Set(lacking)].sort().join(",") }];
      });
      if (missing.length === 0) return undefined;
      if (!namesContainers) return missing.map(({ name }) => name).join(",");
      return missing.map(({ name, lacking }) => `${name} for: ${lacking}`).join("; ");
    },
    essence: (pod) => essence(pod, rules.resized),
    endsAtMs: (pod) => (hasEnded(pod) ? undefined : graceEndsMs(pod)),
  };
}

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

const SPEC_FIELDS = ["activeDeadlineSeconds", "priorityClassName", "overhead", "affinity", "resources"] as const;

/** @param resized whether resources in the status count */
function essence(pod: JsonObject, resized: boolean): JsonObject {
  const { spec, status } = pod;
  const kept: JsonObject = {};
  const given = isObject(spec) ? spec : {};
  const demands = resized && isObject(status) ? demandEssence(status) : {};
  const isNamed = Object.keys(demands).length > 0;
  for (const list of CONTAINER_LISTS) {
    const containers = objectsAt(given, list);
    if (containers.length > 0) kept[list] = containers.map((each) => containerEssence(each, isNamed));
  }
  for (const field of SPEC_FIELDS) if (given[field] !== undefined) kept[field] = given[field] as JsonValue;
  const parts = { ...(isObject(status) && statusEssence(status)), ...demands };
  return { metadata: countedMeta(pod), spec: kept, ...(Object.keys(parts).length > 0 && { status: parts }) };
}

const containerEssence = (container: JsonObject, isNamed: boolean): JsonObject => ({
  ...(isNamed && { name: container["name"] ?? "" }),
  resources: container["resources"] ?? {},
  ...(isSidecar(container) && { restartPolicy: "Always" }),
});

function statusEssence({ phase, qosClass, extendedResourceClaimStatus: claim }: JsonObject): JsonObject {
  const { resourceClaimName = "" } = isObject(claim) ? claim : {};
  return {
    ...(phase !== undefined && { phase }),
    ...(qosClass !== undefined && { qosClass }),
    ...(claim !== undefined && { extendedResourceClaimStatus: { resourceClaimName } }),
  };
}
