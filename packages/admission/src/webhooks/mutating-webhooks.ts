// Calls mutating webhooks one after the other; each receives the object as the earlier ones left it. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go.
import { internalError, type MutableAdmissionRequest, sameJson } from "@orch/machinery";
import { type JsonArray, type JsonObject, type JsonValue, writeJson } from "@orch/schema";
import { definePlugin, type MutationRound } from "../contract/plugin";
import { Reinvocation } from "../requests/reinvocation";
import { RequestObjects } from "../requests/request-objects";
import { type MatchingDeps, MatchingWebhooks } from "./matching-webhooks";
import {
  EVERY_OPERATION,
  WEBHOOK_READS,
  type WebhookDependencies,
  webhookConsultation,
  webhookSource,
} from "./webhook-dependencies";
import type { Candidate } from "./webhook-list";
import { patched, readPatch } from "./webhook-patch";

export const mutatingAdmissionWebhook = definePlugin({
  name: "MutatingAdmissionWebhook",
  reads: WEBHOOK_READS,
  configure: (configuration) => configuration,
  make(dependencies, configuration) {
    const webhooks = new MutatingWebhooks(dependencies, configuration);
    return { on: EVERY_OPERATION, mutate: (request, round) => webhooks.mutate(request, round) };
  },
});

class MutatingWebhooks {
  private readonly source;
  private readonly consultation;
  private readonly matching: MatchingDeps;
  /**
   * State for the second round, keyed by request. A request for which no webhook was called in the first round has none
   * and calls none in the second.
   */
  private readonly reinvocations = new WeakMap<MutableAdmissionRequest, Reinvocation>();

  constructor(
    private readonly dependencies: WebhookDependencies,
    configuration: JsonValue | undefined,
  ) {
    this.source = webhookSource(dependencies, "admit");
    this.consultation = webhookConsultation(dependencies, "admit", configuration);
    this.matching = { ...dependencies, observer: dependencies.webhookObserver };
  }

  mutate(request: MutableAdmissionRequest, round: MutationRound): void | Promise<void> {
    if (round.number === 1 && !this.reinvocations.has(request)) return;
    const list = this.source.current();
    if (list instanceof Promise)
      return list.then((each) => {
        const candidates = each.candidates(request);
        return candidates.length > 0 ? this.askAll(candidates, request, round) : undefined;
      });
    const candidates = list.candidates(request);
    if (candidates.length > 0) return this.askAll(candidates, request, round);
  }

  private async askAll(
    candidates: readonly Candidate[],
    request: MutableAdmissionRequest,
    round: MutationRound,
  ): Promise<void> {
    const objects = new RequestObjects(request, this.dependencies.conversion);
    const matching = new MatchingWebhooks(this.matching, this.consultation, request, objects);
    const reinvocation = this.reinvocations.get(request) ?? new Reinvocation();
    if (round.number === 1) reinvocation.comeBack(request.object);
    let isChanged = false;
    let isAsked = false;
    for (const candidate of candidates) {
      const { webhook } = candidate;
      if (round.number === 1 && !reinvocation.isDue(webhook)) continue;
      const met = matching.matches(candidate);
      if (!(met instanceof Promise ? await met : met)) continue;
      isAsked = true;
      if (await this.askOne(candidate, { request, round, objects, matching })) {
        isChanged = true;
        reinvocation.changedObject();
        round.again("Always");
      }
      reinvocation.asked(webhook);
    }
    if (isChanged) request.object = await objects.inHub();
    if (!isAsked || round.number === 1) return;
    reinvocation.leave(request.object);
    this.reinvocations.set(request, reinvocation);
  }

  /** Calls one webhook. @returns whether it changed the object */
  private async askOne(candidate: Candidate, of: Asked): Promise<boolean> {
    const { request, round } = of;
    let change: Change | undefined;
    try {
      change = await this.consultation.of(candidate, request, round.number, () => this.changeBy(candidate, of));
      return change?.mutated === true;
    } finally {
      this.note(candidate, request, round, change);
    }
  }

  /** Calls the webhook and applies its patch. @throws StatusError, CallingError, Denial */
  private async changeBy(candidate: Candidate, { request, objects, matching }: Asked): Promise<Change> {
    const { body: version } = candidate.as;
    const shown = await objects.in(version);
    const answer = await this.consultation.ask(candidate, request, matching.toldOf(candidate), shown);
    if (answer.patch === undefined) return UNCHANGED;
    const { release, valuesHere } = this.dependencies;
    const patch = readPatch(answer.patch, { release, valuesHere });
    if (patch.operations.length === 0) return UNCHANGED;
    const { object } = shown;
    if (object === undefined) throw internalError(noObject(candidate));
    const changed = patched(object, patch, version);
    const mutated = !sameJson(changed, object);
    if (mutated) objects.change(changed, version);
    return { mutated, patch: patch.sent };
  }

  /** Adds the audit annotations of the call. */
  private note(
    { webhook, index }: Candidate,
    request: MutableAdmissionRequest,
    round: MutationRound,
    change: Change | undefined,
  ): void {
    const { mutationWebhookAdmission, patchWebhookAdmission } = this.dependencies.vocabulary.auditAnnotations;
    const place = `round_${round.number}_index_${index}`;
    const { configuration, name } = webhook;
    const by = { configuration, webhook: name };
    const said: JsonObject = { ...by, mutated: change?.mutated === true };
    request.annotate(`${mutationWebhookAdmission}${place}`, writeJson(said));
    if (change?.patch === undefined) return;
    const patch: JsonObject = { ...by, patch: change.patch, patchType: "JSONPatch" };
    request.annotate(`${patchWebhookAdmission}${place}`, writeJson(patch), "Request");
  }
}

interface Asked {
  readonly request: MutableAdmissionRequest;
  readonly round: MutationRound;
  readonly objects: RequestObjects;
  readonly matching: MatchingWebhooks;
}

interface Change {
  readonly mutated: boolean;
  /** The applied patch; undefined when it was empty. */
  readonly patch: JsonArray | undefined;
}

const UNCHANGED: Change = { mutated: false, patch: undefined };

const noObject = ({ webhook }: Candidate): string =>
  `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`;
