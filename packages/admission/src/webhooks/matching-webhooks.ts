// Whether a webhook that a rule has named is called: what its selectors and its conditions say of the objects.
// Source: facts, admission/webhooks.md "Matching one hook", "matchConditions".

import type { AdmissionRequest } from "@orch/machinery";
import type { MatchConditions } from "../matching/match-conditions";
import type { ShownAs } from "../matching/request-bodies";
import type { RequestObjects } from "../matching/request-objects";
import { namespaceSelected, objectSelected } from "../matching/selectors";
import { LoopTurn } from "../policies/loop-turn";
import { PolicyRequest, type RequestWorld } from "../policies/policy-request";
import { forbidden } from "../refusal";
import type { Soon } from "../world";
import { ToldRequest } from "./review-request";
import type { WebhookConsultation } from "./webhook-consultation";
import type { Candidate } from "./webhook-list";
import type { WebhookObserver } from "./webhook-observer";

export interface MatchingDeps extends RequestWorld {
  readonly observer: WebhookObserver | undefined;
}

/** One request in one phase. */
export class MatchingWebhooks {
  private readonly told = new Map<ShownAs, ToldRequest>();
  private asked: PolicyRequest | undefined;
  private readonly turn = new LoopTurn();

  constructor(
    private readonly deps: MatchingDeps,
    private readonly consultation: WebhookConsultation,
    private readonly request: AdmissionRequest,
    private readonly shown: RequestObjects,
  ) {}

  /** What its webhooks are told of the request itself. */
  toldOf({ as }: Candidate): ToldRequest {
    let told = this.told.get(as);
    if (told === undefined) {
      told = new ToldRequest(this.request, as, this.shown.object, this.deps);
      this.told.set(as, told);
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
      inNamespace && (conditions === undefined || this.holds(candidate, conditions));
    const ofNamespace = namespaceSelected(namespaceSelector, request, object, deps.objects);
    return ofNamespace instanceof Promise ? ofNamespace.then(rest) : rest(ofNamespace);
  }

  /** @throws StatusError Forbidden (403) where that cannot be told, and the webhook may not be left out */
  private async holds({ webhook, as }: Candidate, conditions: MatchConditions): Promise<boolean> {
    const { request, deps } = this;
    const { observer } = deps;
    const name = this.consultation.nameOf(webhook, request);
    const sinceMs = performance.now();
    this.asked ??= new PolicyRequest(request, deps, this.shown);
    const outcome = await conditions.evaluate(this.asked, as, this.turn);
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
