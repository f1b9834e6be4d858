// Calls one webhook for one request: applies the failure policy, records audit annotations and traces, and reports
// metrics. Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go.
import { randomUUID } from "node:crypto";
import {
  type AdmissionOperation,
  type AdmissionRequest,
  badRequest,
  internalError,
  ManyValuesError,
  StatusError,
  TIMEOUT_TEXT,
  type TracedStep,
  timeout,
} from "@orch/machinery";
import type { SpanAttributes } from "@orch/platform";
import { existsIn, type JsonArray, type Vocabulary } from "@orch/schema";
import { WebhookCallError, type WebhookCaller } from "../contract/webhook-caller";
import type { CalledWebhook, RejectionKind, WebhookObserver, WebhookType } from "../contract/webhook-observer";
import type { VersionedObjects } from "../requests/request-objects";
import { reviewBody, type SharedReview } from "../requests/review-request";
import { CallingError } from "./calling-error";
import { type ReviewAnswer, readAnswer } from "./review-answer";
import { Denial, denialOf } from "./verdict";
import type { Webhook } from "./webhook";
import type { Candidate } from "./webhook-list";

export interface ConsultationDeps {
  readonly type: WebhookType;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly caller: WebhookCaller | undefined;
  readonly observer: WebhookObserver | undefined;
}

/** Releases that record failed calls under failurePolicy Ignore in the audit log. */
const NOTES_FAILURES = { since: "1.24" };
/** Status code in metrics for a call that failed without an HTTP status. */
const FAILED_CODE = 503;

const PLUGINS = {
  admit: { phase: "admit", plugin: "MutatingAdmissionWebhook" },
  validating: { phase: "validate", plugin: "ValidatingAdmissionWebhook" },
} as const satisfies Record<WebhookType, Pick<TracedStep, "phase" | "plugin">>;

/** Result of a successful call. */
export interface Consulted {
  /** The applied patch. */
  readonly patch?: JsonArray | undefined;
}

interface Failure {
  readonly decision: "denied" | "failed" | "ignored";
  /** HTTP status code that represents the failure. */
  readonly code: number;
  /** Rejection as metrics count it; undefined: the request continues. */
  readonly rejection: { readonly kind: RejectionKind; readonly code: number } | undefined;
  readonly why: string;
  readonly refusal: unknown;
}

export class WebhookConsultation {
  private readonly names = new WeakMap<Webhook, Map<AdmissionOperation, CalledWebhook>>();

  constructor(private readonly deps: ConsultationDeps) {}

  /**
   * Returns the metrics identity of a webhook. The object is the same each time, so that observers can key their state
   * by it.
   */
  nameOf(webhook: Webhook, { operation }: AdmissionRequest): CalledWebhook {
    let known = this.names.get(webhook);
    if (known === undefined) {
      known = new Map();
      this.names.set(webhook, known);
    }
    let found = known.get(operation);
    if (found === undefined) {
      const { configuration, name } = webhook;
      found = { configuration, name, type: this.deps.type, operation };
      known.set(operation, found);
    }
    return found;
  }

  /**
   * Runs the call and handles its failure.
   * @param round round of the call
   * @param work calls the webhook; may throw CallingError and Denial
   * @returns undefined when the call failed and the request continues without it
   * @throws StatusError
   */
  async of<Result extends Consulted>(
    candidate: Candidate,
    request: AdmissionRequest,
    round: 0 | 1,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { webhook } = candidate;
    const sinceMs = performance.now();
    const seconds = () => (performance.now() - sinceMs) / 1000;
    try {
      const result = await work();
      this.deps.observer?.called(this.nameOf(webhook, request), { seconds: seconds(), rejected: false, code: 200 });
      if (request.trace !== undefined) {
        const { patch } = result;
        this.trace(webhook, request, { round, decision: "allowed", ...(patch && { patch }), seconds: seconds() });
      }
      return result;
    } catch (error) {
      // Another thread repeats the call.
      if (error instanceof ManyValuesError) throw error;
      const failure = this.failureOf(webhook, error);
      this.tell(candidate, request, round, { ...failure, seconds: seconds() });
      if (failure.refusal !== undefined) throw failure.refusal;
      requireTime(request);
      return undefined;
    }
  }

  private failureOf({ name, failsOpen }: Webhook, error: unknown): Failure {
    if (error instanceof Denial) {
      const { status, message: why, code } = error;
      return { decision: "denied", code: status.code, rejection: { kind: "no_error", code }, why, refusal: status };
    }
    if (!(error instanceof CallingError)) {
      const why = error instanceof StatusError ? error.message : "the server failed";
      const rejection = { kind: "apiserver_internal_error", code: 0 } as const;
      return { decision: "failed", code: 500, rejection, why, refusal: error };
    }
    const why = error.text(this.deps.release);
    if (failsOpen) return { decision: "ignored", code: FAILED_CODE, rejection: undefined, why, refusal: undefined };
    const rejection = { kind: "calling_webhook_error", code: 0 } as const;
    const refusal = internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`, { cause: error });
    return { decision: "failed", code: FAILED_CODE, rejection, why, refusal };
  }

  /** Reports a failure to metrics, audit and trace. */
  private tell(
    { webhook, index }: Candidate,
    request: AdmissionRequest,
    round: 0 | 1,
    { decision, code, rejection, why, seconds }: Failure & { readonly seconds: number },
  ): void {
    const { observer } = this.deps;
    const name = this.nameOf(webhook, request);
    const counted = decision === "denied" ? (rejection?.code ?? code) : code;
    observer?.called(name, { seconds, rejected: rejection !== undefined, code: counted });
    if (rejection !== undefined) observer?.rejected(name, { ...rejection, why });
    else {
      observer?.failedOpen(name, why);
      this.noteFailure(webhook, index, request, round);
    }
    this.trace(webhook, request, { round, decision, code, message: why, seconds });
  }

  private trace(
    { configuration, name }: Webhook,
    { trace }: AdmissionRequest,
    step: Pick<TracedStep, "round" | "decision" | "code" | "message" | "patch" | "seconds">,
  ): void {
    const of = PLUGINS[this.deps.type];
    trace?.tell({ ...of, part: `${configuration}/${name}`, ...step });
  }

  /**
   * Calls the webhook.
   * @returns the response when it allows the request
   * @throws CallingError, Denial, and StatusError BadRequest (400) when the webhook does not support dry run
   */
  async ask(
    { webhook, place }: Candidate,
    request: AdmissionRequest,
    told: SharedReview,
    objects: VersionedObjects,
  ): Promise<ReviewAnswer> {
    const { vocabulary, caller, type } = this.deps;
    const { name, target, timeoutMs, reviewVersion: version } = webhook;
    if (request.dryRun) requireHarmless(webhook);
    if (version === undefined)
      throw new CallingError("prepare", "webhook does not accept known AdmissionReview versions (v1, v1beta1)");
    const uid = randomUUID();
    const body = reviewBody({ version, uid }, { told, place }, objects, { vocabulary });
    if (caller === undefined) throw new CallingError("call", "this server cannot call webhooks");
    const span = request.span?.child(SPAN_NAMES[type], spanAttributes(webhook, request, uid));
    const traceHeaders = span?.headers();
    let answerBody: Buffer;
    try {
      answerBody = await caller.call(target, body, { timeoutMs, signal: request.signal, traceHeaders });
      span?.event("Request completed");
      span?.end();
    } catch (error) {
      span?.end(error);
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

  private noteFailure({ name }: Webhook, index: number, request: AdmissionRequest, round: 0 | 1): void {
    const { type, vocabulary, release } = this.deps;
    if (!existsIn(NOTES_FAILURES, release)) return;
    const { failedOpenMutationWebhookAdmission, failedOpenValidatingWebhookAdmission } = vocabulary.auditAnnotations;
    const prefix = type === "admit" ? failedOpenMutationWebhookAdmission : failedOpenValidatingWebhookAdmission;
    request.annotate(`${prefix}round_${round}_index_${index}`, name);
  }
}

/** Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go. */
const SPAN_NAMES: Readonly<Record<WebhookType, string>> = {
  admit: "Call mutating webhook",
  validating: "Call validating webhook",
};

function spanAttributes(
  { configuration, name }: Webhook,
  { definition, version, subresource, operation }: AdmissionRequest,
  uid: string,
): SpanAttributes {
  const resource = `${definition.group}/${version.version}, Resource=${definition.plural}`;
  return { configuration, webhook: name, resource, subresource, operation, UID: uid };
}

/** @throws StatusError Timeout (504) when the request's deadline has passed or the client is gone */
export function requireTime({ signal }: AdmissionRequest): void {
  if (signal.aborted || (signal.endsAtMs ?? Number.POSITIVE_INFINITY) <= performance.now())
    throw timeout(TIMEOUT_TEXT.webhooks());
}

const HARMLESS = ["None", "NoneOnDryRun"];

function requireHarmless({ name, sideEffects }: Webhook): void {
  if (sideEffects === undefined) throw new CallingError("prepare", "Webhook SideEffects is nil");
  if (!HARMLESS.includes(sideEffects))
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}
