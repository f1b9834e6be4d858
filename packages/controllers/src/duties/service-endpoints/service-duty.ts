// What the three duties of services' endpoints have in common: they look at one service at a time, when it or its pods have changed.
import {
  type Client,
  type EventSink,
  keyOf,
  type QueueMetrics,
  type RetryLimiterOptions,
  WorkQueue,
} from "@orch/client";
import type { coreV1 } from "@orch/schema";
import { refusedTooOften } from "../../manager/refused-too-often";
import type { SharedViews } from "../../manager/shared-views";
import { anchorValues, BY_ANCHOR, BY_LABEL, labelValues, servicesOf, servicesOfChange } from "./service-pods";

export interface ServiceDutyOptions {
  readonly client: Client;
  /** That the server emulates: `1.23`. */
  readonly release: string;
  readonly views: SharedViews;
  readonly events: EventSink;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly workers: number;
  /** Changes that come within this time are looked at together. */
  readonly gatherMs: number;
}

/** Of slices and their mirrors; endpoints are as other duties. Source: facts, controllers.md "endpoint, endpointslice". */
export const SLICE_RETRIES = { firstMs: 1_000, maxMs: 100_000, perSecond: 10, burst: 100 };
/** What the server has refused so often is looked at again when it changes. Source: as above. */
export const givesUp = refusedTooOften(15);
/** Until a view has come as far as it must. */
export const LOOK_AGAIN_MS = 20;

export function serviceQueue(
  { client, metrics }: ServiceDutyOptions,
  name: string,
  retries?: RetryLimiterOptions,
): WorkQueue<string> {
  return new WorkQueue({
    clock: client.clock,
    retries,
    metrics: metrics?.(name),
  });
}

/** Adds services to the queue as they change, and as pods that they select do. */
export function followServices({ views, gatherMs }: ServiceDutyOptions, queue: WorkQueue<string>) {
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
    // At first every service is looked at in any case.
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

/** Who is told of what goes wrong with it. */
export const regarding = (kind: string, { metadata = {} }: coreV1.Service | coreV1.Endpoints) => {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { kind, apiVersion: "v1", namespace, name, ...(uid === "" ? {} : { uid }) };
};
