// Common parts of the controllers for certificate signing requests. Source:
// pkg/controller/certificates/certificate_controller.go.
import { parseSigningRequest, type SigningRequest } from "@orch/apis";
import {
  builtInTypes,
  type Client,
  keyOf,
  type QueueMetrics,
  type ResourceClient,
  type ResourceType,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isCode, timestamp } from "@orch/machinery";
import { type certificatesV1, compareReleases } from "@orch/schema";
import type { SharedViews } from "./shared-views";

export type CertificateRequest = certificatesV1.CertificateSigningRequest;
export type RequestCondition = certificatesV1.CertificateSigningRequestCondition;

/** First release with the v1 API. Earlier ones have v1beta1, whose objects have the same form. */
const STABLE_SINCE = "1.19";
const RETRIES = { firstMs: 200, maxMs: 1_000_000, perSecond: 10, burst: 100 };
const WORKERS = 5;

/** @param release release of the server */
export function requestType({ vocabulary }: Client, release: string): ResourceType<CertificateRequest> {
  const type = builtInTypes(vocabulary).certificateSigningRequests;
  return compareReleases(release, STABLE_SINCE) < 0 ? { ...type, version: "v1beta1" } : type;
}

export interface FollowRequests {
  readonly client: Client;
  readonly views: SharedViews;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** Name of the work queue in metrics. */
  readonly queue: string;
  readonly release: string;
  /**
   * Makes one attempt; it is repeated after an error and when the request changes. Not called for a request with a
   * certificate.
   */
  seeTo(request: CertificateRequest, requests: ResourceClient<CertificateRequest>): Promise<void>;
}

/** Runs the controller until the signal is aborted. */
export async function followRequests(
  { client, views, metrics, queue: queueName, release, seeTo }: FollowRequests,
  signal: AbortSignal,
): Promise<void> {
  const queue = new WorkQueue({
    clock: client.clock,
    retries: RETRIES,
    metrics: metrics?.(queueName),
  });
  const type = requestType(client, release);
  const requests = client.resource(type);
  const informer = views.whole(type);
  const look = (request: CertificateRequest) => queue.add(keyOf(request));
  informer.addHandler({ added: look, updated: (_before, after) => look(after) });
  await informer.synced(signal).catch(() => {});
  async function reconcile(name: string): Promise<undefined> {
    const request = informer.store.get(name);
    if (request === undefined || request.status?.certificate) return;
    try {
      await seeTo(request, requests);
    } catch (error) {
      // The request has changed, and the watch reports it; or it is gone.
      if (!isCode(error, 409, 404)) throw error;
    }
  }
  await runWorkers({ queue, workers: WORKERS, signal, log: client.log, reconcile });
}

export const conditionOf = ({ status }: CertificateRequest, type: string): RequestCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** @throws RangeError for an unreadable request */
export function asked({ spec }: CertificateRequest): SigningRequest {
  const request = parseSigningRequest(Buffer.from(spec.request ?? "", "base64").toString("latin1"));
  if (request === undefined) throw new RangeError("it contains no valid certificate signing request");
  return request;
}

/** Returns the usages without duplicates. */
export const usagesOf = ({ spec }: CertificateRequest): readonly string[] => [...new Set(spec.usages ?? [])];

/** Returns the request with one more condition, with the current time. */
export function withCondition(
  request: CertificateRequest,
  { type, reason, message }: { readonly type: string; readonly reason: string; readonly message: string },
  nowMs: number,
): CertificateRequest {
  const { status } = request;
  const lastUpdateTime = timestamp(nowMs);
  const conditions = [...(status?.conditions ?? []), { type, status: "True", reason, message, lastUpdateTime }];
  return { ...request, status: { ...status, conditions } };
}

/** Returns the request without its conditions of a type. */
export function withoutCondition(request: CertificateRequest, type: string): CertificateRequest {
  const { status } = request;
  if (status?.conditions === undefined) return request;
  return { ...request, status: { ...status, conditions: status.conditions.filter((each) => each.type !== type) } };
}
