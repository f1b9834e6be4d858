// Converts custom resources by the webhook of their definition. Every failure of the webhook becomes a Status error.
import { randomUUID } from "node:crypto";
import { internalError, ManyValuesError, type ObjectConverter, type ServedVersion, StatusError } from "@orch/machinery";
import type { apiextensionsV1, Vocabulary } from "@orch/schema";
import type { ConverterFactory } from "../definitions/compile-definition";
import type { Definition } from "../definitions/definition";
import { type DialGuard, guardedResolver } from "../services/dial-guard";
import type { ServiceResolver } from "../services/service-address";
import { type WebhookAddress, webhookAddress } from "../webhooks/webhook-address";
import { WebhookClients, type WebhookClientsParts } from "../webhooks/webhook-clients";
import { WebhookError } from "../webhooks/webhook-error";
import { convertedObjects, type Review, reviewText, reviewVersion } from "./conversion-review";

export interface ConverterParts {
  readonly vocabulary: Vocabulary;
  readonly resolve: ServiceResolver;
  readonly guard: DialGuard;
  readonly dialerOf?: WebhookClientsParts["dialerOf"];
  readonly observe?: (call: ConversionCall) => void;
  readonly timeoutMs?: number;
  /** Responses with at least this number of values are left to another thread. Absent: there is none. */
  readonly valuesHere?: number;
}

/** One webhook call, for metrics. */
interface ConversionCall {
  /** Name of the custom resource definition. */
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly succeeded: boolean;
  readonly failure: ConversionFailure | undefined;
  readonly seconds: number;
}

/** The webhook was not called or did not answer, or its answer is not a review with the converted objects. */
type ConversionFailure = "call" | "answer";

const TIMEOUT_MS = 30_000;
/** Twice the maximum object size. */
const ANSWER_MAX_BYTES = 6 * 1024 * 1024;

/** The owner closes the factory, and with it the connections of all converters. */
export function webhookConverters(parts: ConverterParts): ConverterFactory & { close(): void } {
  const resolve = guardedResolver(parts.resolve, parts.guard);
  // One client for all definitions. Idle connections are closed after a while.
  const clients = new WebhookClients({ ...parts, resolve, userAgent: parts.vocabulary.programs.apiserver });
  const converterFor = (definition: Definition) => new WebhookConverter(definition, clients, parts);
  return Object.assign(converterFor, { close: () => clients.close() });
}

class WebhookConverter implements ObjectConverter {
  private readonly name: string;
  private readonly webhook: apiextensionsV1.WebhookConversion | undefined;

  constructor(
    { spec }: Definition,
    private readonly clients: WebhookClients,
    private readonly parts: ConverterParts,
  ) {
    this.name = `${spec.names.plural}.${spec.group}`;
    this.webhook = spec.conversion?.webhook;
  }

  convert: ObjectConverter["convert"] = async (objects, { from, to }, signal) => {
    const begun = performance.now();
    let failed: ConversionFailure | undefined = "call";
    try {
      const review = this.review(objects, to);
      const answer = await this.clients.post(this.place(), {
        body: reviewText(review),
        timeoutMs: this.parts.timeoutMs ?? TIMEOUT_MS,
        answerMaxBytes: ANSWER_MAX_BYTES,
        signal,
      });
      failed = "answer";
      const converted = convertedObjects(answer, review, this.parts.valuesHere);
      failed = undefined;
      return converted;
    } catch (error) {
      signal.throwIfAborted();
      // The webhook did respond.
      if (error instanceof ManyValuesError) failed = undefined;
      throw failure(error, from);
    } finally {
      const seconds = (performance.now() - begun) / 1000;
      const call = { definition: this.name, from: from.version, to: to.version, seconds };
      this.parts.observe?.({ ...call, succeeded: failed === undefined, failure: failed });
    }
  };

  private review(objects: Review["objects"], to: ServedVersion): Review {
    const version = reviewVersion(this.webhook?.conversionReviewVersions);
    if (version === undefined)
      throw new WebhookError("it supports no version of ConversionReview that this server knows");
    const apiVersion = `${this.parts.vocabulary.groups.apiextensions}/${version}`;
    return { apiVersion, uid: randomUUID(), desiredAPIVersion: to.apiVersion, objects };
  }

  private place(): WebhookAddress {
    const { clientConfig } = this.webhook ?? {};
    if (clientConfig === undefined) throw new WebhookError("the definition names neither a URL nor a service");
    return webhookAddress(clientConfig);
  }
}

function failure(error: unknown, { apiVersion, kind }: ServedVersion): unknown {
  const isKnown = error instanceof WebhookError || error instanceof StatusError;
  if (!isKnown || (error instanceof StatusError && error.reason === "Timeout")) return error;
  return internalError(`conversion webhook for ${apiVersion}, Kind=${kind} failed: ${error.message}`, { cause: error });
}
