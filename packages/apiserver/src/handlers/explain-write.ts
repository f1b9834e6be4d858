// Explains admission: carries a write out as a dry run and reports the steps, for `?dryRun=All&admission=explain`.
import { type AdmissionTrace, StatusError, type TracedStep, toStatus } from "@orch/machinery";
import { type ApiRequest, type ApiResponse, plainForm } from "@orch/request";
import { type JsonObject, parseJson } from "@orch/schema";
import { RecordedResponse, transferredRequest } from "../large-objects/transferred-request";
import type { WriteDeps } from "./handler";
import { answerObject } from "./object-answer";

class Account implements AdmissionTrace {
  private steps: TracedStep[] = [];
  private attempts = 0;

  again(): void {
    this.steps = [];
    this.attempts += 1;
  }

  tell(step: TracedStep): void {
    if (this.steps.length < STEPS_MAX) this.steps.push(step);
  }

  /** Format: docs/admission.md, "Explain a decision". */
  told(): JsonObject {
    return { attempts: this.attempts, steps: this.steps.map(stepJson) };
  }
}

/** Maximum number of reported steps. */
const STEPS_MAX = 10_000;

function stepJson({ seconds, patch, ...step }: TracedStep): JsonObject {
  return { ...step, ...(patch && { patch }), durationMilliseconds: Math.round(seconds * 1e6) / 1000 };
}

/**
 * Carries the write out as a dry run, which its context must request, and answers 200 with the decisions, whether or
 * not the write would have been refused.
 * @param carryOut returns the object, or throws the StatusError of the refusal
 */
export async function explainWrite(
  { vocabulary }: Pick<WriteDeps, "vocabulary">,
  request: ApiRequest,
  response: ApiResponse,
  carryOut: (request: ApiRequest, response: ApiResponse) => void | Promise<void>,
): Promise<void> {
  const { context } = request;
  const account = new Account();
  context.trace = account;
  const outcome = await outcomeOf(request, carryOut);
  const document = {
    kind: "AdmissionExplanation",
    apiVersion: `${vocabulary.groups.admission}/v1`,
    ...account.told(),
    ...outcome,
  };
  const { contentType, bytes } = plainForm(request);
  return answerObject(response, 200, contentType, bytes(document));
}

async function outcomeOf(
  request: ApiRequest,
  carryOut: (request: ApiRequest, response: ApiResponse) => void | Promise<void>,
): Promise<JsonObject> {
  const { method = "", url = "", httpVersionMajor, headers, context } = request;
  const { accept: _, "accept-encoding": __, ...others } = headers;
  const plain = { ...others, accept: context.negotiation.mediaTypes.json };
  const inner = transferredRequest({ method, url, headers: plain, httpVersionMajor }, context);
  const caught = new RecordedResponse(inner);
  inner.res = caught.seen;
  try {
    await carryOut(inner, caught.seen);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const status = toStatus(error);
    return { allowed: false, code: status.code ?? 500, status: { ...status } as unknown as JsonObject };
  }
  const { code, body } = await caught.answer;
  return { allowed: true, code, object: parseJson(Buffer.from(body)).value };
}
