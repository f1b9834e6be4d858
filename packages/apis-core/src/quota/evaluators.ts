// Evaluators of a release, one per resource, created at first use.
import type { FieldGate } from "@orch/apis-model";
import type { GroupResource } from "@orch/machinery";
import { existsIn, type JsonObject, type Vocabulary } from "@orch/schema";
import { claimsEvaluator } from "./claims-evaluator";
import type { ClassResources } from "./class-resources";
import { countEvaluator, countedBy } from "./count-evaluator";
import { deviceClaimsEvaluator } from "./device-claims-evaluator";
import type { QuotaEvaluator } from "./evaluator";
import { podsEvaluator } from "./pods-evaluator";
import { servicesEvaluator } from "./services-evaluator";

/** Maximum number of cached evaluators. Custom resources come and go; beyond this number the cache is cleared. */
const KEPT_MAX = 10_000;

/** Releases whose quotas count the devices of resource claims. */
const DEVICE_CLAIMS = { since: "1.32" };

const keyOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

export class QuotaEvaluators {
  private readonly special: readonly QuotaEvaluator[];
  private readonly uncounted: ReadonlySet<string>;
  private readonly made = new Map<string, QuotaEvaluator>();

  /**
   * @param of.release the emulated release
   * @param of.isOn returns whether a feature gate is enabled; absent: gates have the defaults of the release
   * @param of.classResources returns the extended resources of the device classes; absent: claims count for none
   */
  constructor(of: {
    readonly vocabulary: Vocabulary;
    readonly release: string;
    readonly isOn?: (gate: FieldGate) => boolean;
    readonly classResources?: () => ClassResources;
  }) {
    this.uncounted = new Set(uncountedResources(of.vocabulary).map(keyOf));
    const pods = podsEvaluator(of.vocabulary, of.release, of.isOn);
    const extended = of.classResources && {
      resources: of.classResources,
      podUsage: (pod: JsonObject, nowMs: number) => pods.usage(pod, { nowMs }),
    };
    this.special = [
      pods,
      servicesEvaluator(of.release),
      claimsEvaluator(of.vocabulary, of.release),
      ...(existsIn(DEVICE_CLAIMS, of.release) ? [deviceClaimsEvaluator(of.vocabulary, extended)] : []),
    ];
  }

  /** Returns the evaluator of a resource; undefined when no quota counts it. */
  of(resource: GroupResource): QuotaEvaluator | undefined {
    const key = keyOf(resource);
    if (this.uncounted.has(key)) return undefined;
    let found = this.made.get(key);
    if (found === undefined) {
      found = this.special.find((each) => keyOf(each.resource) === key) ?? countEvaluator(resource);
      if (this.made.size >= KEPT_MAX) this.made.clear();
      this.made.set(key, found);
    }
    return found;
  }

  /**
   * Returns the evaluators that know a name in a quota: several for an extended resource that pods and claims use. A
   * counted resource need not exist.
   */
  knowing(name: string): readonly QuotaEvaluator[] {
    const special = this.special.filter((each) => each.knows(name));
    if (special.length > 0) return special;
    const counted = countedBy(name);
    const found = counted && this.of(counted);
    return found === undefined ? [] : [found];
  }
}

/** Resources that no quota counts: they are not stored, or are not limited per namespace. */
function uncountedResources({ groups }: Vocabulary): readonly GroupResource[] {
  const core = ["namespaces", "bindings", "componentstatuses", "events"];
  const reviews = [
    "subjectaccessreviews",
    "selfsubjectaccessreviews",
    "localsubjectaccessreviews",
    "selfsubjectrulesreviews",
  ];
  return [
    ...core.map((resource) => ({ group: "", resource })),
    { group: groups.authentication, resource: "tokenreviews" },
    ...reviews.map((resource) => ({ group: groups.authorization, resource })),
  ];
}
