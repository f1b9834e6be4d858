// Decides whether a webhook whose rules match is called, by its selectors and match conditions. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go; KEP-3716, "Admission Webhook Match
// Conditions".

import type { AdmissionRequest } from "@orch/machinery";
import type { MaybePromise } from "../contract/dependencies";
import { forbidden } from "../contract/refusal";
import type { WebhookObserver } from "../contract/webhook-observer";
import { PolicyRequest, type RequestDependencies } from "../policies/policy-request";
import type { MatchedVersion } from "../requests/request-bodies";
import type { RequestObjects } from "../requests/request-objects";
import { SharedReview } from "../requests/review-request";
import { namespaceSelected, objectSelected } from "../requests/selectors";
import type { MatchConditions } from "./match-conditions";
import type { WebhookConsultation } from "./webhook-consultation";
import type { Candidate } from "./webhook-list";

export interface MatchingDeps extends RequestDependencies {
  readonly observer: WebhookObserver | undefined;
}

/** Matching of webhooks for one request in one phase. */
export class MatchingWebhooks {
  private readonly told = new Map<MatchedVersion, SharedReview>();
  private asked: PolicyRequest | undefined;

  constructor(
    private readonly deps: MatchingDeps,
    private readonly consultation: WebhookConsultation,
    private readonly request: AdmissionRequest,
    private readonly shown: RequestObjects,
  ) {}

  /** Returns the parts of the review that describe the request. */
  toldOf({ as }: Candidate): SharedReview {
    let told = this.told.get(as);
    if (told === undefined) {
      told = new SharedReview(this.request, as, this.shown.object, this.deps);
      this.told.set(as, told);
    }
    return told;
  }

  /** Returns whether the webhook is called. @throws StatusError when that cannot be determined */
  matches(candidate: Candidate): MaybePromise<boolean> {
    const { request, deps } = this;
    const { namespaceSelector, objectSelector, conditions } = candidate.webhook;
    const { object } = this.shown;
    if (!objectSelected(objectSelector, request, object)) return false;
    const rest = (inNamespace: boolean): MaybePromise<boolean> =>
      inNamespace && (conditions === undefined || this.holds(candidate, conditions));
    const ofNamespace = namespaceSelected(namespaceSelector, request, object, deps.objects);
    return ofNamespace instanceof Promise ? ofNamespace.then(rest) : rest(ofNamespace);
  }

  /**
   * Evaluates the match conditions. @throws StatusError Forbidden (403) when they fail and the failure policy is Fail
   */
  private async holds({ webhook, as }: Candidate, conditions: MatchConditions): Promise<boolean> {
    const { request, deps } = this;
    const { observer } = deps;
    const name = this.consultation.nameOf(webhook, request);
    const sinceMs = performance.now();
    this.asked ??= new PolicyRequest(request, deps, this.shown);
    const outcome = await conditions.evaluate(this.asked, as);
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
