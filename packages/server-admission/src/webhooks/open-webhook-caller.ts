// Calls webhooks as far as their circuits allow it. Source: Kubernetes documentation, "Dynamic Admission Control",
// "Authenticate API servers" and "Failure policy".
import { WebhookCallError, type WebhookCaller, type WebhookTarget } from "@orch/admission";
import type { Identity } from "@orch/client";
import {
  type WebhookAddress,
  type WebhookClientConfig,
  type WebhookClients,
  WebhookError,
  webhookAddress,
} from "@orch/extensions";
import type { Clock } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { type CallOutcome, STALLED_MS, type SuspendedCall } from "./webhook-circuit";
import type { WebhookCircuits } from "./webhook-circuits";
import type { WebhookCredentials } from "./webhook-credentials";

export interface WebhookCallerParts {
  readonly clients: Pick<WebhookClients, "post">;
  readonly circuits: WebhookCircuits;
  readonly clock: Clock;
  /** @throws Error for a file that cannot be used */
  readonly open: (credentialsFile: string) => WebhookCredentials;
  /** Called for each call that is not made. */
  readonly withheld: (target: WebhookTarget, why: SuspendedCall["withheld"]) => void;
}

/** An object of the largest size as a patch, in base64, and its envelope. */
const ANSWER_MAX_BYTES = 4.5 * 1024 * 1024;
/** A call that this side ended earlier than this says nothing about the webhook. */
const PATIENCE_MS = STALLED_MS;

export class OpenWebhookCaller implements WebhookCaller {
  private readonly places = new WeakMap<JsonObject, WebhookAddress>();

  constructor(
    private readonly parts: WebhookCallerParts,
    private readonly credentials?: WebhookCredentials,
  ) {}

  withCredentials(file: string): WebhookCaller {
    return new OpenWebhookCaller(this.parts, this.parts.open(file));
  }

  call: WebhookCaller["call"] = async (target, body, { timeoutMs, signal, traceHeaders }) => {
    const { circuits, clients, clock } = this.parts;
    const known = circuits.of(target);
    const { circuit } = known;
    const permit = circuit.begin(target.failurePolicy, this.times());
    if ("withheld" in permit) {
      this.parts.withheld(target, permit.withheld);
      throw new WebhookCallError(permit.why);
    }
    let outcome: CallOutcome = "unknown";
    let why = "";
    try {
      const place = this.placeOf(target);
      const leftMs = Math.min(timeoutMs, (signal.endsAtMs ?? Number.POSITIVE_INFINITY) - performance.now());
      const answer = await clients.post(place, {
        body,
        timeoutMs: leftMs,
        answerMaxBytes: ANSWER_MAX_BYTES,
        signal,
        identity: this.identityOf(place),
        tellsTimeout: true,
        headers: traceHeaders,
      });
      outcome = "answered";
      return answer;
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      const waitedMs = clock.elapsed() - permit.sinceMs;
      outcome = error.end === undefined || waitedMs >= PATIENCE_MS ? "failed" : "unknown";
      why = error.message;
      const since = circuit.isBroken ? ` (${circuit.standing()})` : "";
      throw new WebhookCallError(`${why}${since}`, { cause: error });
    } finally {
      const wasBroken = circuit.isBroken;
      circuit.end(permit, outcome, this.times(), why);
      circuits.settle(known, wasBroken);
    }
  };

  private times() {
    const { clock } = this.parts;
    return { elapsedMs: clock.elapsed(), nowMs: clock.now() };
  }

  private placeOf({ clientConfig }: WebhookTarget): WebhookAddress {
    let place = this.places.get(clientConfig);
    if (place === undefined) {
      place = webhookAddress(clientConfig as WebhookClientConfig);
      this.places.set(clientConfig, place);
    }
    return place;
  }

  private identityOf({ target }: WebhookAddress): Identity | undefined {
    try {
      return this.credentials?.of(target);
    } catch (error) {
      throw new WebhookError((error as Error).message, { cause: error });
    }
  }
}
