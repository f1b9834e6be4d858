// Configured webhooks of one kind in calling order, and those whose rules match a request. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go.
import { type AdmissionRequest, metaOf, type ResourceDefinition } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { MaybePromise, ObjectLister } from "../contract/dependencies";
import { CONFIGURATIONS, isFromManifest } from "../requests/manifest-configurations";
import { equivalents, type MatchedVersion, versionAsSent } from "../requests/request-bodies";
import { placeText } from "../requests/review-request";
import { type MatchRule, type RuleTarget, ruleMatches } from "../requests/rule";
import { isNamespaces } from "../requests/selectors";
import { type Webhook, type WebhookSite, webhooksOf } from "./webhook";

/** Webhook with a rule that matches the request. Selectors and match conditions are evaluated later. */
export interface Candidate {
  readonly webhook: Webhook;
  /** Position among all webhooks. */
  readonly index: number;
  readonly as: MatchedVersion;
  /** `placeText` of the request for this webhook. */
  readonly place: string;
}

export interface WebhookSourceDeps extends WebhookSite {
  readonly configurations: ObjectLister;
}

/** Follows the configurations and compiles only those that changed. */
export class WebhookSource {
  private seen: readonly JsonObject[] | undefined;
  private list = new WebhookList([], undefined);
  private known = new Map<string, Compiled>();

  constructor(private readonly deps: WebhookSourceDeps) {}

  /** @throws NotReadyError */
  current(): MaybePromise<WebhookList> {
    const all = this.deps.configurations.all();
    return all instanceof Promise ? all.then((each) => this.listOf(each)) : this.listOf(all);
  }

  private listOf(configurations: readonly JsonObject[]): WebhookList {
    if (configurations === this.seen) return this.list;
    const next = new Map<string, Compiled>();
    for (const configuration of configurations) {
      const { uid = "", resourceVersion = "" } = metaOf(configuration);
      const state = `${uid} ${resourceVersion}`;
      const key = keyOf(configuration);
      const before = this.known.get(key);
      next.set(
        key,
        before?.state === state && state !== " " ? before : { state, webhooks: webhooksOf(configuration, this.deps) },
      );
    }
    this.known = next;
    this.seen = configurations;
    const { vocabulary } = this.deps;
    const fromManifests = configurations.filter((each) => isFromManifest(each, vocabulary));
    const count = fromManifests.reduce((sum, each) => sum + (next.get(keyOf(each))?.webhooks.length ?? 0), 0);
    this.list = new WebhookList(
      [...next.values()].flatMap(({ webhooks }) => webhooks),
      vocabulary,
      count,
    );
    return this.list;
  }
}

/** A configuration of the API may have the name of one in a manifest file. */
function keyOf(configuration: JsonObject): string {
  const { name = "", uid = "" } = metaOf(configuration);
  return `${uid} ${name}`;
}

interface Compiled {
  /** uid and resource version of the configuration object. */
  readonly state: string;
  readonly webhooks: readonly Webhook[];
}

const NONE: readonly Candidate[] = [];

/** Candidates for all requests of a resource that agree in these properties. */
interface Found {
  readonly of: Pick<AdmissionRequest, "version" | "kind" | "operation" | "subresource">;
  readonly isSpared: boolean;
  readonly inNamespace: boolean;
  readonly candidates: readonly Candidate[];
}

export class WebhookList {
  private readonly known = new WeakMap<ResourceDefinition, Found[]>();

  constructor(
    private readonly webhooks: readonly Webhook[],
    private readonly vocabulary: Vocabulary | undefined,
    /** Number of webhooks of manifest files, which come first. */
    private readonly fromManifests = 0,
  ) {}

  /** Returns the matching webhooks in order. Computed once per resource, version, subresource and operation. */
  candidates(request: AdmissionRequest): readonly Candidate[] {
    if (this.webhooks.length === 0) return NONE;
    const { definition, version, kind, operation, subresource } = request;
    let known = this.known.get(definition);
    if (known === undefined) {
      known = [];
      this.known.set(definition, known);
    }
    const isSpared = this.isOfSystem(request);
    const inNamespace = request.namespace !== "";
    // There are few entries; building a key for each request would cost more than comparing.
    for (const each of known) {
      const { of } = each;
      if (
        of.operation === operation &&
        of.subresource === subresource &&
        of.version.apiVersion === version.apiVersion &&
        of.kind.kind === kind.kind &&
        of.kind.version === kind.version &&
        each.isSpared === isSpared &&
        each.inNamespace === inNamespace
      )
        return each.candidates;
    }
    const candidates = this.find(request, isSpared);
    known.push({ of: { version, kind, operation, subresource }, isSpared, inNamespace, candidates });
    return candidates;
  }

  /** Returns whether the object is a lease of a system namespace, which the servers themselves depend on. */
  private isOfSystem({ definition, namespace }: AdmissionRequest): boolean {
    const { vocabulary } = this;
    if (vocabulary === undefined || definition.group !== vocabulary.groups.coordination) return false;
    return Object.values(vocabulary.namespaces).includes(namespace);
  }

  private find(request: AdmissionRequest, isSpared: boolean): readonly Candidate[] {
    const isOfConfiguration = this.vocabulary !== undefined && isOfAdmission(request, this.vocabulary);
    const webhooks = isOfConfiguration ? this.webhooks.slice(0, this.fromManifests) : this.webhooks;
    if (webhooks.length === 0) return NONE;
    const { definition, operation, subresource, namespace } = request;
    const target = (as: MatchedVersion): RuleTarget => ({
      operation,
      group: as.version.group,
      version: as.version.version,
      resource: definition.plural,
      subresource,
      namespaced: namespace !== "" && !isNamespaces(request),
    });
    const sent = versionAsSent(request);
    const asSent = target(sent);
    const others = equivalents(request).map((as) => ({ as, target: target(as) }));
    const candidate = (webhook: Webhook, index: number, as: MatchedVersion): Candidate => ({
      webhook,
      index,
      as,
      place: placeText(request, as),
    });
    const rulesOf = ({ rules }: Webhook): readonly MatchRule[] =>
      isSpared ? rules.filter(({ apiGroups = [] }) => apiGroups.includes(definition.group)) : rules;
    return webhooks.flatMap((webhook, index) => {
      const rules = rulesOf(webhook);
      if (rules.some((rule) => ruleMatches(rule, asSent))) return [candidate(webhook, index, sent)];
      if (!webhook.matchesEquivalents) return [];
      for (const rule of rules) {
        const other = others.find((each) => ruleMatches(rule, each.target));
        if (other !== undefined) return [candidate(webhook, index, other.as)];
      }
      return [];
    });
  }
}

/**
 * Kinds that admission itself depends on. A webhook that refuses its own correction could not be repaired, except in a
 * manifest file.
 */
const OF_ADMISSION: ReadonlySet<string> = new Set(CONFIGURATIONS);

const isOfAdmission = ({ definition }: AdmissionRequest, { groups }: Vocabulary): boolean =>
  definition.group === groups.admissionregistration && OF_ADMISSION.has(definition.plural);
