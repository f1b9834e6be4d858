// Common parts of the three endpoint controllers: a queue of services, filled when a service or one of its pods
// changes.
import {
  type Client,
  type EventSink,
  keyOf,
  type QueueMetrics,
  type RetryLimiterOptions,
  WorkQueue,
} from "@orch/client";
import type { coreV1 } from "@orch/schema";
import type { SharedViews } from "../../framework/shared-views";
import { refusedTooOften } from "../../framework/write-errors";
import { anchorValues, BY_ANCHOR, BY_LABEL, labelValues, servicesOf, servicesOfChange } from "./service-pods";

export interface ServiceControllerOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly views: SharedViews;
  readonly events: EventSink;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly workers: number;
  /** Delay that combines changes. */
  readonly gatherMs: number;
}

/**
 * Retries of the two slice controllers; the Endpoints controller uses the default. Source:
 * pkg/controller/endpointslice/endpointslice_controller.go.
 */
export const SLICE_RETRIES = { firstMs: 1_000, maxMs: 100_000, perSecond: 10, burst: 100 };
/**
 * Gives up on a service after this many rejections, until it changes. Source:
 * pkg/controller/endpointslice/endpointslice_controller.go, `maxRetries`.
 */
export const givesUp = refusedTooOften(15);
/** Pause until the cache is checked again for the controller's own writes. */
export const LOOK_AGAIN_MS = 20;

export function serviceQueue(
  { client, metrics }: ServiceControllerOptions,
  name: string,
  retries?: RetryLimiterOptions,
): WorkQueue<string> {
  return new WorkQueue({
    clock: client.clock,
    retries,
    metrics: metrics?.(name),
  });
}

/** Queues services when they or the pods that they select change. */
export function followServices({ views, gatherMs }: ServiceControllerOptions, queue: WorkQueue<string>) {
  const services = views.services();
  const pods = views.pods();
  services.addIndex(BY_ANCHOR, anchorValues);
  pods.addIndex(BY_LABEL, labelValues);
  const look = (service: object) => queue.add(keyOf(service));
  services.addHandler({ added: look, updated: (_before, after) => look(after), deleted: look });
  const lookBehind = (found: readonly coreV1.Service[]) => {
    for (const service of found) queue.addAfter(keyOf(service), gatherMs);
  };
  pods.addHandler({
    // Initially every service is queued anyway.
    added: (pod, isInInitialList) => {
      if (!isInInitialList) lookBehind(servicesOf(pod, services.store));
    },
    updated: (before, after) => {
      if (before !== after) lookBehind(servicesOfChange(before, after, services.store));
    },
    deleted: (pod) => lookBehind(servicesOf(pod, services.store)),
  });
  return { services, pods };
}

/** Returns the object reference for events. */
export const regarding = (kind: string, { metadata = {} }: coreV1.Service | coreV1.Endpoints) => {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { kind, apiVersion: "v1", namespace, name, ...(uid === "" ? {} : { uid }) };
};
