// Whether a webhook that a rule has named is called: what its selectors and its conditions say of the objects.
// Source: facts, admission/webhooks.md "Matching one hook", "matchConditions".

import { type ExpressionBudget, expressionBudget } from "@orch/expressions";
import type { AdmissionRequest } from "@orch/machinery";
import type { RequestObjects, ShownObjects } from "../matching/request-objects";
import { namespaceSelected, objectSelected } from "../matching/selectors";
import { forbidden } from "../refusal";
import type { ObjectReader, Soon } from "../world";
import { type ReviewSite, type ToldRequest, toldRequest } from "./review-request";
import type { WebhookConsultation } from "./webhook-consultation";
import type { Candidate } from "./webhook-list";
import type { WebhookObserver } from "./webhook-observer";

export interface MatchingDeps extends ReviewSite {
  readonly objects: Pick<ObjectReader, "labels" | "inStore">;
  readonly observer: WebhookObserver | undefined;
}

/** One request in one phase. */
export class MatchingWebhooks {
  private readonly told = new Map<string, ToldRequest>();
  private madeBudget: ExpressionBudget | undefined;

  constructor(
    private readonly deps: MatchingDeps,
    private readonly consultation: WebhookConsultation,
    private readonly request: AdmissionRequest,
    private readonly shown: RequestObjects,
  ) {}

  /** What its webhooks are told of the request itself. */
  toldOf({ as }: Candidate): ToldRequest {
    const key = `${as.version.apiVersion} ${as.body.apiVersion}`;
    let told = this.told.get(key);
    if (told === undefined) {
      told = toldRequest(this.request, as, this.shown.object, this.deps);
      this.told.set(key, told);
    }
    return told;
  }

  /** @throws StatusError where it cannot be told */
  matches(candidate: Candidate): Soon<boolean> {
    const { request, deps } = this;
    const { namespaceSelector, objectSelector, conditions } = candidate.webhook;
    const { object } = this.shown;
    if (!objectSelected(objectSelector, request, object)) return false;
    const rest = (inNamespace: boolean): Soon<boolean> =>
      inNamespace && (conditions === undefined || this.holds(candidate));
    const ofNamespace = namespaceSelected(namespaceSelector, request, object, deps.objects);
    return ofNamespace instanceof Promise ? ofNamespace.then(rest) : rest(ofNamespace);
  }

  private holds(candidate: Candidate): Soon<boolean> {
    const objects = this.shown.in(candidate.as.body);
    return objects instanceof Promise
      ? objects.then((each) => this.evaluate(candidate, each))
      : this.evaluate(candidate, objects);
  }

  /** @throws StatusError Forbidden (403) */
  private evaluate(candidate: Candidate, { object, oldObject }: ShownObjects): boolean {
    const { webhook } = candidate;
    const { request } = this;
    const { observer } = this.deps;
    const name = this.consultation.nameOf(webhook, request);
    const sinceMs = performance.now();
    this.madeBudget ??= expressionBudget();
    const values = { object, oldObject, request: this.toldOf(candidate).fields };
    const outcome = webhook.conditions?.evaluate(values, this.madeBudget) ?? "holds";
    observer?.conditionsEvaluated(name, (performance.now() - sinceMs) / 1000);
    if (outcome === "holds") return true;
    if (outcome === "fails") {
      observer?.conditionsExcluded(name);
      return false;
    }
    observer?.conditionsFailed(name);
    if (!webhook.failsOpen) throw forbidden(request, outcome.error);
    return false;
  }
}
