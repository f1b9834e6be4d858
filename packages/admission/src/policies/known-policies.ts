// Policies and bindings of the cluster. They are read when they change, compiled when a request first matches them, and
// kept as long as their specs are the same.
import { type AdmissionRequest, type LabelSelector, metaOf } from "@orch/machinery";
import { runInSlices } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { MaybePromise, ObjectLister, ObjectReader } from "../contract/dependencies";
import { equivalents, isWhole, type MatchedVersion, versionAsSent } from "../requests/request-bodies";
import { type MatchRule, ruleMatches } from "../requests/rule";
import { isNamespaces, namespaceSelected, objectSelected, selectorOf } from "../requests/selectors";
import { EVALUATION_YIELDER } from "./evaluation-yielder";
import { type CompiledPolicy, policySteps } from "./policy-compilation";
import type { BindingSpec, MatchResources, MutatingPolicySpec, ValidatingPolicySpec } from "./policy-objects";

export type AnyPolicySpec = ValidatingPolicySpec & MutatingPolicySpec;

/** Policy whose rules match requests like the one at hand, with its bindings that match. */
export interface Candidate {
  readonly policy: KnownPolicy;
  readonly meets: Meeting;
  readonly bindings: readonly { readonly binding: KnownBinding; readonly meets: Meeting }[];
  /**
   * Version in which policy and bindings match all such requests, when neither names, selectors nor parameters matter.
   */
  readonly always: MatchedVersion | undefined;
}

/** How rules match requests of one kind. Only object names are left to compare. */
interface Meeting {
  readonly excluded: readonly (readonly string[])[];
  readonly rules: readonly { readonly names: readonly string[]; readonly as: MatchedVersion }[];
  /** Version in which all such requests match, when neither names nor selectors matter. */
  readonly always: MatchedVersion | undefined;
}

export class KnownPolicy {
  readonly name: string;
  readonly spec: AnyPolicySpec;
  readonly failsClosed: boolean;
  readonly match: Match;
  private made: MaybePromise<CompiledPolicy> | undefined;

  constructor(
    object: JsonObject,
    private readonly vocabulary: Vocabulary,
  ) {
    this.name = metaOf(object).name ?? "";
    this.spec = (object["spec"] ?? {}) as AnyPolicySpec;
    this.failsClosed = this.spec.failurePolicy !== "Ignore";
    this.match = new Match(this.spec.matchConstraints ?? {});
  }

  get compiled(): MaybePromise<CompiledPolicy> {
    this.made ??= runInSlices(policySteps(this.spec, { vocabulary: this.vocabulary }), EVALUATION_YIELDER).then(
      (made) => {
        this.made = made;
        return made;
      },
    );
    return this.made;
  }
}

export class KnownBinding {
  readonly name: string;
  readonly spec: BindingSpec;
  readonly match: Match;
  readonly params: LabelSelector | undefined;

  constructor(object: JsonObject) {
    this.name = metaOf(object).name ?? "";
    this.spec = (object["spec"] ?? {}) as BindingSpec;
    this.match = new Match(this.spec.matchResources ?? {});
    const { selector } = this.spec.paramRef ?? {};
    this.params = selectorOf(selector as JsonObject | undefined);
  }
}

type NamedRule = MatchRule & { readonly resourceNames?: readonly string[] };

/** Match constraints with compiled selectors. */
export class Match {
  private readonly namespaces: LabelSelector | undefined;
  private readonly objects: LabelSelector | undefined;

  constructor(private readonly resources: MatchResources) {
    this.namespaces = selectorOf(resources.namespaceSelector as JsonObject | undefined);
    this.objects = selectorOf(resources.objectSelector as JsonObject | undefined);
  }

  /** Matches the rules against requests of this kind. @returns undefined when no such request matches */
  meeting(request: AdmissionRequest): Meeting | undefined {
    const { resourceRules = [], excludeResourceRules = [] } = this.resources;
    const excluded = this.met(excludeResourceRules, request).map(({ names }) => names);
    if (excluded.some((names) => names.length === 0)) return undefined;
    const rules =
      resourceRules.length === 0 ? [{ names: [], as: versionAsSent(request) }] : this.met(resourceRules, request);
    const [first] = rules;
    if (first === undefined) return undefined;
    const isPlain = excluded.length === 0 && first.names.length === 0;
    const isSelected = this.namespaces === undefined && this.objects === undefined;
    return { excluded, rules, always: isPlain && isSelected ? first.as : undefined };
  }

  /**
   * Returns the matching rules. Rules that match the requested version come before those that match an equivalent one.
   */
  private met(rules: readonly NamedRule[], request: AdmissionRequest): Meeting["rules"][number][] {
    if (rules.length === 0) return [];
    const direct = versionAsSent(request);
    const others = this.resources.matchPolicy === "Exact" ? [] : equivalents(request);
    const under = (shown: readonly MatchedVersion[]) =>
      rules.flatMap((rule) =>
        shown
          .filter((as) => ruleMatches(rule, targetOf(request, as)))
          .map((as) => ({ names: rule.resourceNames ?? [], as })),
      );
    return [...under([direct]), ...under(others)];
  }

  /**
   * Returns the version in which the object is shown; undefined when the request does not match. @throws StatusError
   * when that cannot be determined
   */
  matches(
    meeting: Meeting,
    request: AdmissionRequest,
    objects: ObjectReader,
  ): MaybePromise<MatchedVersion | undefined> {
    if (meeting.always !== undefined) return meeting.always;
    const { name } = request;
    if (meeting.excluded.some((names) => names.includes(name))) return undefined;
    const rule = meeting.rules.find(({ names }) => names.length === 0 || names.includes(name));
    if (rule === undefined || !objectSelected(this.objects, request, request.object)) return undefined;
    const selected = namespaceSelected(this.namespaces, request, request.object, objects);
    if (selected instanceof Promise) return selected.then((is) => (is ? rule.as : undefined));
    return selected ? rule.as : undefined;
  }
}

function targetOf(request: AdmissionRequest, { version }: MatchedVersion) {
  const { operation, definition, subresource } = request;
  return {
    operation,
    group: version.group,
    version: version.version,
    resource: definition.plural,
    subresource,
    namespaced: request.namespace !== "" && !isNamespaces(request),
  };
}

export class KnownPolicies {
  private policyObjects: readonly JsonObject[] | undefined;
  private bindingObjects: readonly JsonObject[] | undefined;
  private policies = new Map<string, KnownPolicy>();
  private bindings = new Map<string, KnownBinding>();
  private bound: readonly { readonly policy: KnownPolicy; readonly bindings: readonly KnownBinding[] }[] = [];
  /** Candidates keyed by the requested version, then by `keyOf`. */
  private met = new WeakMap<object, Map<string, readonly Candidate[]>>();

  constructor(
    private readonly listers: {
      readonly policies: Pick<ObjectLister, "all">;
      readonly bindings: Pick<ObjectLister, "all">;
    },
    private readonly vocabulary: Vocabulary,
  ) {}

  /** Returns policies and their bindings, each in the order of their names. @throws NotReadyError */
  candidates(request: AdmissionRequest): MaybePromise<readonly Candidate[]> {
    const policies = this.listers.policies.all();
    const bindings = this.listers.bindings.all();
    if (policies instanceof Promise || bindings instanceof Promise)
      return Promise.all([policies, bindings]).then(([some, others]) => this.among(some, others, request));
    return this.among(policies, bindings, request);
  }

  private among(
    policies: readonly JsonObject[],
    bindings: readonly JsonObject[],
    request: AdmissionRequest,
  ): readonly Candidate[] {
    if (policies !== this.policyObjects || bindings !== this.bindingObjects) this.read(policies, bindings);
    if (this.bound.length === 0) return NONE;
    let byRequest = this.met.get(request.version);
    if (byRequest === undefined) {
      byRequest = new Map();
      this.met.set(request.version, byRequest);
    }
    const key = keyOf(request);
    let found = byRequest.get(key);
    if (found === undefined) {
      found = this.find(request);
      byRequest.set(key, found);
    }
    return found;
  }

  private find(request: AdmissionRequest): readonly Candidate[] {
    return this.bound.flatMap(({ policy, bindings }) => {
      const meets = policy.match.meeting(request);
      if (meets === undefined) return [];
      const here = bindings.flatMap((binding) => {
        const own = binding.match.meeting(request);
        return own === undefined ? [] : [{ binding, meets: own }];
      });
      if (here.length === 0) return [];
      const isPlain = policy.spec.paramKind === undefined && here.every((each) => each.meets.always !== undefined);
      return [{ policy, meets, bindings: here, always: isPlain ? meets.always : undefined }];
    });
  }

  private read(policies: readonly JsonObject[], bindings: readonly JsonObject[]): void {
    this.policyObjects = policies;
    this.bindingObjects = bindings;
    this.met = new WeakMap();
    this.policies = kept(this.policies, policies, (object) => new KnownPolicy(object, this.vocabulary));
    this.bindings = kept(this.bindings, bindings, (object) => new KnownBinding(object));
    const byPolicy = new Map<string, KnownBinding[]>();
    for (const binding of this.bindings.values()) {
      const name = binding.spec.policyName ?? "";
      const others = byPolicy.get(name);
      if (others === undefined) byPolicy.set(name, [binding]);
      else others.push(binding);
    }
    this.bound = [...this.policies.values()].flatMap((policy) => {
      const own = byPolicy.get(policy.name);
      return own === undefined ? [] : [{ policy, bindings: own }];
    });
  }
}

const NONE: readonly Candidate[] = [];

function keyOf(request: AdmissionRequest): string {
  const { operation, subresource, kind } = request;
  const scope = request.namespace === "" ? "Cluster" : "Namespaced";
  const body = isWhole(request) ? "" : `${kind.group}/${kind.version}/${kind.kind}`;
  return `${operation} ${scope} ${subresource} ${body}`;
}

/** Builds values for the objects. A value is kept as long as the object's spec is the same. */
function kept<Made>(
  before: ReadonlyMap<string, Made>,
  objects: readonly JsonObject[],
  make: (object: JsonObject) => Made,
): Map<string, Made> {
  return new Map(
    objects.map((object) => {
      const { name = "", uid = "", generation, resourceVersion } = metaOf(object);
      const key = `${name} ${uid} ${generation ?? `at ${resourceVersion}`}`;
      return [key, before.get(key) ?? make(object)];
    }),
  );
}
