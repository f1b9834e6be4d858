// Calls all matching validating webhooks in parallel. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go.
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { RequestObjects } from "../requests/request-objects";
import { type MatchingDeps, MatchingWebhooks } from "./matching-webhooks";
import { type Consulted, requireTime } from "./webhook-consultation";
import {
  EVERY_OPERATION,
  WEBHOOK_READS,
  type WebhookDependencies,
  webhookConsultation,
  webhookSource,
} from "./webhook-dependencies";
import type { Candidate } from "./webhook-list";

export const validatingAdmissionWebhook = definePlugin({
  name: "ValidatingAdmissionWebhook",
  reads: WEBHOOK_READS,
  configure: (configuration) => configuration,
  make(dependencies, configuration) {
    const webhooks = new ValidatingWebhooks(dependencies, configuration);
    return { on: EVERY_OPERATION, validate: (request) => webhooks.validate(request) };
  },
});

/** Result of an allowing webhook. It carries no patch. */
const ALLOWED = {};

class ValidatingWebhooks {
  private readonly source;
  private readonly consultation;
  private readonly matching: MatchingDeps;

  constructor(
    private readonly dependencies: WebhookDependencies,
    configuration: JsonValue | undefined,
  ) {
    this.source = webhookSource(dependencies, "validating");
    this.consultation = webhookConsultation(dependencies, "validating", configuration);
    this.matching = { ...dependencies, observer: dependencies.webhookObserver };
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    const list = this.source.current();
    if (list instanceof Promise)
      return list.then((each) => {
        const candidates = each.candidates(request);
        return candidates.length > 0 ? this.askAll(candidates, request) : undefined;
      });
    const candidates = list.candidates(request);
    if (candidates.length > 0) return this.askAll(candidates, request);
  }

  private async askAll(candidates: readonly Candidate[], request: AdmissionRequest): Promise<void> {
    const objects = new RequestObjects(request, this.dependencies.conversion);
    const matching = new MatchingWebhooks(this.matching, this.consultation, request, objects);
    const matched: Candidate[] = [];
    for (const candidate of candidates) {
      const met = matching.matches(candidate);
      if (met instanceof Promise ? await met : met) matched.push(candidate);
    }
    if (matched.length === 0) return;
    requireTime(request);
    let first: { readonly error: unknown } | undefined;
    const failed = (error: unknown): void => {
      first ??= { error };
    };
    await Promise.all(
      matched.map((candidate) => {
        const work = async (): Promise<Consulted> => {
          const shown = objects.in(candidate.as.body);
          const told = matching.toldOf(candidate);
          await this.consultation.ask(candidate, request, told, shown instanceof Promise ? await shown : shown);
          return ALLOWED;
        };
        return this.consultation.of(candidate, request, 0, work).catch(failed);
      }),
    );
    if (first !== undefined) throw first.error;
  }
}
