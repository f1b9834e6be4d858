// One webhook of a configuration, ready to be matched and called. Source: facts, admission/webhooks.md "Source of hooks".
import { type LabelSelector, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type MatchConditionSite, MatchConditions } from "../matching/match-conditions";
import type { MatchRule } from "../matching/rule";
import { selectorOf } from "../matching/selectors";
import { type ReviewVersion, reviewVersionOf } from "./review-version";
import type { WebhookTarget } from "./webhook-caller";

export interface Webhook {
  /** `<configuration>/<name>/<n>`, n counting the earlier ones of that name in the configuration. */
  readonly id: string;
  readonly name: string;
  readonly configuration: string;
  readonly target: WebhookTarget;
  readonly rules: readonly MatchRule[];
  /** Whether a rule for another version of the same resource is as good. */
  readonly matchesEquivalents: boolean;
  /** Undefined: all. */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  /** Undefined: there are none. */
  readonly conditions: MatchConditions | undefined;
  readonly failsOpen: boolean;
  readonly timeoutMs: number;
  /** Undefined: it does not say. */
  readonly sideEffects: string | undefined;
  /** Undefined: it understands none that is known here. */
  readonly reviewVersion: ReviewVersion | undefined;
  /** Wants to see again what others have made of an object. */
  readonly isReinvoked: boolean;
}

/** As a stored configuration has it; its rules were checked when it was written. */
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
  /** Of the configurations. */
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
