// Endpoint slice mirroring controller: slices for manually managed Endpoints of services without a selector.
// Source: pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go.

import { builtInTypes, keyOf, type RequeueAfter, runWorkers } from "@orch/client";
import { messageOf } from "@orch/platform";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { endpointRules } from "./endpoint-rules";
import { FollowedSlices } from "./followed-slices";
import { type MirrorContext, mayBeMirrored, planMirrors } from "./mirrored-slices";
import {
  givesUp,
  LOOK_AGAIN_MS,
  regarding,
  type ServiceControllerOptions,
  SLICE_RETRIES,
  serviceQueue,
} from "./service-controller";
import { hasSelector } from "./service-pods";
import { sliceType } from "./slice-form";

export interface ReconcileMirrorsOptions extends ServiceControllerOptions {
  /** Maximum number of addresses of one subset. */
  readonly addressesMax: number;
}

/** Runs the controller until the signal is aborted. Returns at once for a release without mirroring. */
export async function reconcileMirrors(options: ReconcileMirrorsOptions, signal: AbortSignal): Promise<void> {
  const { client, release, views, events, workers, addressesMax, gatherMs } = options;
  const rules = endpointRules(release);
  const version = rules.sliceVersion;
  if (version === undefined || !rules.mirrors) return;
  const vocabulary = vocabularyOf(client.vocabulary);
  const context: MirrorContext = { rules, version, vocabulary, addressesMax };
  const queue = serviceQueue(options, "endpoint_slice_mirroring", SLICE_RETRIES);
  const endpoints = views.whole(builtInTypes(client.vocabulary).endpoints);
  const services = views.services();
  const informer = views.whole(sliceType(vocabulary, version));
  const managedBy = vocabulary.labelValues.endpointslicemirroringController;
  const slices = new FollowedSlices({ client, slices: informer, version, managedBy });
  const look = (object: object) => queue.addAfter(keyOf(object), gatherMs);
  const lookWhereMirrored = (object: coreV1.Endpoints) => {
    if (mayBeMirrored(object, vocabulary)) look(object);
  };
  endpoints.addHandler({
    added: lookWhereMirrored,
    updated: (before, after) => {
      if (before !== after && (mayBeMirrored(before, vocabulary) || mayBeMirrored(after, vocabulary))) look(after);
    },
    deleted: lookWhereMirrored,
  });
  services.addHandler({
    added: look,
    updated: (before, after) => {
      if (hasSelector(before) !== hasSelector(after)) look(after);
    },
    deleted: look,
  });
  slices.tell((key, afterMs) => queue.addAfter(key, Math.max(afterMs, gatherMs)));
  await Promise.all([services, endpoints, informer].map((each) => each.synced(signal))).catch(() => {});
  // Queues slices that were left behind while no controller ran.
  for (const key of slices.services()) queue.add(key);

  async function reconcile(key: string): Promise<RequeueAfter | undefined> {
    const found = slices.of(key);
    if (found === undefined) return { againAfterMs: LOOK_AGAIN_MS };
    const source = endpoints.store.get(key);
    const service = services.store.get(key);
    const isMirrored =
      source !== undefined && service !== undefined && !hasSelector(service) && mayBeMirrored(source, vocabulary);
    if (!isMirrored) {
      await slices.remove(key, found);
      if (source === undefined) slices.forget(key);
      return undefined;
    }
    const { plan, invalid, skipped } = planMirrors(source, found, context);
    if (invalid > 0) {
      tell(source, "InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
    }
    if (skipped > invalid) {
      const note = `A max of ${addressesMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
      tell(source, "TooManyAddressesToMirror", note);
    }
    try {
      await slices.write(key, plan, { makes: !source.metadata?.deletionTimestamp });
    } catch (error) {
      const { namespace, name } = source.metadata ?? {};
      const note = `Error updating Endpoint Slices for Endpoints ${namespace}/${name}: ${messageOf(error)}`;
      tell(source, "FailedToUpdateEndpointSlices", note);
      throw error;
    }
    return undefined;
  }

  function tell(source: coreV1.Endpoints, reason: string, note: string): void {
    events.record({ type: "Warning", reason, action: reason, note, regarding: regarding("Endpoints", source) });
  }

  await runWorkers({ queue, workers, signal, log: client.log, givesUp, reconcile });
}
