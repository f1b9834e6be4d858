// One webhook is asked about one request: which errors are its policy's to judge, what its answer leaves behind, and what is counted.
// Source: facts, admission/webhooks.md "Calling", "Verdict", "Audit annotations", "Metrics".
import { randomUUID } from "node:crypto";
import {
  type AdmissionRequest,
  badRequest,
  internalError,
  ManyValuesError,
  TIMEOUT_TEXT,
  timeout,
} from "@orch/machinery";
import { existsIn, type Vocabulary } from "@orch/schema";
import type { ShownObjects } from "../matching/request-objects";
import { CallingError } from "./calling-error";
import { type ReviewAnswer, readAnswer } from "./review-answer";
import { reviewBody, type ToldRequest } from "./review-request";
import { Denial, denialOf } from "./verdict";
import type { Webhook } from "./webhook";
import { WebhookCallError, type WebhookCaller } from "./webhook-caller";
import type { Candidate } from "./webhook-list";
import type { CalledWebhook, WebhookObserver, WebhookType } from "./webhook-observer";

export interface ConsultationDeps {
  readonly type: WebhookType;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly caller: WebhookCaller | undefined;
  readonly observer: WebhookObserver | undefined;
}

/** Releases that write down whom they went on without. */
const NOTES_FAILURES = { since: "1.24" };
/** What counts a call that has failed without an HTTP status. */
const FAILED_CODE = 503;

export class WebhookConsultation {
  constructor(private readonly deps: ConsultationDeps) {}

  nameOf({ configuration, name }: Webhook, { operation }: AdmissionRequest): CalledWebhook {
    return { configuration, name, type: this.deps.type, operation };
  }

  /**
   * @param round in which it is asked, for audit
   * @param work asks the webhook; may throw CallingError and Denial
   * @returns undefined where the webhook has failed and the request may go on without it
   * @throws StatusError
   */
  async of<Result>(
    { webhook, index }: Candidate,
    request: AdmissionRequest,
    round: number,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { observer } = this.deps;
    const name = this.nameOf(webhook, request);
    const sinceMs = performance.now();
    const called = (rejected: boolean, code: number) =>
      observer?.called(name, { seconds: (performance.now() - sinceMs) / 1000, rejected, code });
    try {
      const result = await work();
      called(false, 200);
      return result;
    } catch (error) {
      if (error instanceof ManyValuesError) throw error;
      if (error instanceof Denial) {
        const { code } = error.status;
        called(true, code);
        observer?.rejected(name, { kind: "no_error", code, why: error.message });
        throw error.status;
      }
      if (!(error instanceof CallingError)) {
        called(true, 500);
        observer?.rejected(name, { kind: "apiserver_internal_error", code: 0, why: (error as Error).message });
        throw error;
      }
      const why = error.text(this.deps.release);
      called(!webhook.failsOpen, FAILED_CODE);
      if (!webhook.failsOpen) {
        observer?.rejected(name, { kind: "calling_webhook_error", code: 0, why });
        throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`, { cause: error });
      }
      observer?.failedOpen(name, why);
      this.noteFailure(webhook, index, request, round);
      requireTime(request);
      return undefined;
    }
  }

  /**
   * @returns what it allowed, whatever it may have sent with that
   * @throws CallingError, Denial, and StatusError BadRequest (400) for a dry run that it cannot do
   */
  async ask(
    { webhook }: Candidate,
    request: AdmissionRequest,
    told: ToldRequest,
    objects: ShownObjects,
  ): Promise<ReviewAnswer> {
    const { vocabulary, caller, type } = this.deps;
    const { name, target, timeoutMs, reviewVersion: version } = webhook;
    if (request.dryRun) requireHarmless(webhook);
    if (version === undefined)
      throw new CallingError("prepare", "webhook does not accept known AdmissionReview versions (v1, v1beta1)");
    const uid = randomUUID();
    const body = reviewBody({ version, uid }, told, objects, { vocabulary });
    if (caller === undefined) throw new CallingError("call", "webhooks cannot be reached from here");
    let answerBody: Buffer;
    try {
      answerBody = await caller.call(target, body, { timeoutMs, signal: request.signal });
    } catch (error) {
      if (error instanceof WebhookCallError) throw new CallingError("call", error.message, { cause: error });
      throw error;
    }
    const group = vocabulary.groups.admission;
    const answer = readAnswer(answerBody, { version, uid, group, mayPatch: type === "admit" });
    for (const [key, value] of Object.entries(answer.auditAnnotations)) request.annotate(`${name}/${key}`, value);
    for (const warning of answer.warnings) request.warn(warning);
    if (!answer.allowed) throw denialOf(name, answer.status);
    return answer;
  }

  private noteFailure({ name }: Webhook, index: number, request: AdmissionRequest, round: number): void {
    const { type, vocabulary, release } = this.deps;
    if (!existsIn(NOTES_FAILURES, release)) return;
    const { failedOpenMutationWebhookAdmission, failedOpenValidatingWebhookAdmission } = vocabulary.auditAnnotations;
    const prefix = type === "admit" ? failedOpenMutationWebhookAdmission : failedOpenValidatingWebhookAdmission;
    request.annotate(`${prefix}round_${round}_index_${index}`, name);
  }
}

/** @throws StatusError Timeout (504) where nobody waits any more */
export function requireTime({ signal }: AdmissionRequest): void {
  if (signal.aborted) throw timeout(TIMEOUT_TEXT.webhooks());
}

const HARMLESS = ["None", "NoneOnDryRun"];

function requireHarmless({ name, sideEffects }: Webhook): void {
  if (sideEffects === undefined) throw new CallingError("prepare", "Webhook SideEffects is nil");
  if (!HARMLESS.includes(sideEffects))
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}
