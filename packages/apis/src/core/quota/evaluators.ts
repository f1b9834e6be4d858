// The evaluators of a release: one for each resource, made when first asked for.
import type { GroupResource } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { claimsEvaluator } from "./claims-evaluator";
import { countEvaluator, countedBy } from "./count-evaluator";
import type { QuotaEvaluator } from "./evaluator";
import { podsEvaluator } from "./pods-evaluator";
import { servicesEvaluator } from "./services-evaluator";
import { uncountedResources } from "./uncounted-resources";

/** Kinds come and go: beyond so many, all of them are made anew when asked for. */
const KEPT_MAX = 10_000;

const keyOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

export class QuotaEvaluators {
  private readonly special: readonly QuotaEvaluator[];
  private readonly uncounted: ReadonlySet<string>;
  private readonly made = new Map<string, QuotaEvaluator>();

  /** @param of.release that is emulated */
  constructor(of: { readonly vocabulary: Vocabulary; readonly release: string }) {
    this.uncounted = new Set(uncountedResources(of.vocabulary).map(keyOf));
    this.special = [
      podsEvaluator(of.vocabulary, of.release),
      servicesEvaluator(of.release),
      claimsEvaluator(of.vocabulary),
    ];
  }

  /** @returns undefined for what no quota counts */
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

  /** Of the resources whose objects use something of that name; one that only counts may be of a resource that does not exist. */
  knowing(name: string): QuotaEvaluator | undefined {
    const counted = countedBy(name);
    return this.special.find((each) => each.knows(name)) ?? (counted && this.of(counted));
  }
}
