// A webhook of a configuration, compiled for matching and calling. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/accessors.go.
import { type LabelSelector, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { WebhookTarget } from "../contract/webhook-caller";
import { type ReviewVersion, reviewVersionOf } from "../requests/review-request";
import type { MatchRule } from "../requests/rule";
import { selectorOf } from "../requests/selectors";
import { type MatchConditionSite, MatchConditions } from "./match-conditions";

export interface Webhook {
  /** `<configuration>/<name>/<n>`, where n counts the earlier webhooks of that name in the configuration. */
  readonly id: string;
  readonly name: string;
  readonly configuration: string;
  readonly target: WebhookTarget;
  readonly rules: readonly MatchRule[];
  /** Whether `matchPolicy` is Equivalent: a rule for another version of the same resource matches too. */
  readonly matchesEquivalents: boolean;
  /** Undefined: matches everything. */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  /** Undefined: there are none. */
  readonly conditions: MatchConditions | undefined;
  readonly failsOpen: boolean;
  readonly timeoutMs: number;
  /** Undefined: not specified. */
  readonly sideEffects: string | undefined;
  /** Undefined: the webhook accepts no version that is supported. */
  readonly reviewVersion: ReviewVersion | undefined;
  /** Whether `reinvocationPolicy` is IfNeeded. */
  readonly isReinvoked: boolean;
}

/** Webhook as in a stored configuration, which was validated when it was written. */
interface WebhookObject {
  readonly name: string;
  readonly clientConfig?: JsonObject;
  readonly rules?: readonly MatchRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: JsonObject;
  readonly objectSelector?: JsonObject;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

const TIMEOUT_SECONDS = 10;

export interface WebhookSite extends MatchConditionSite {
  readonly release: string;
  /** Kind of the configurations. */
  readonly kind: WebhookTarget["kind"];
}

export function webhooksOf(configuration: JsonObject, { release, kind, ...site }: WebhookSite): readonly Webhook[] {
  const { name: owner = "" } = metaOf(configuration);
  const { webhooks = [] } = configuration as { readonly webhooks?: readonly WebhookObject[] };
  const counts = new Map<string, number>();
  return webhooks.map((each) => {
    const { name, failurePolicy = "Fail", matchPolicy = "Equivalent" } = each;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const failsOpen = failurePolicy === "Ignore";
    return {
      id: `${owner}/${name}/${count}`,
      name,
      configuration: owner,
      target: {
        kind,
        configuration: owner,
        name,
        clientConfig: each.clientConfig ?? {},
        failurePolicy: failsOpen ? "Ignore" : "Fail",
      },
      rules: each.rules ?? [],
      matchesEquivalents: matchPolicy === "Equivalent",
      namespaceSelector: selectorOf(each.namespaceSelector),
      objectSelector: selectorOf(each.objectSelector),
      conditions: each.matchConditions?.length ? new MatchConditions(each.matchConditions, site) : undefined,
      failsOpen,
      timeoutMs: (each.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
      sideEffects: each.sideEffects,
      reviewVersion: reviewVersionOf(each.admissionReviewVersions ?? [], release),
      isReinvoked: each.reinvocationPolicy === "IfNeeded",
    };
  });
}
