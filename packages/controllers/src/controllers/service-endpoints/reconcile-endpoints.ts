// Endpoints controller: one Endpoints object for each service with a selector. Source:
// pkg/controller/endpoint/endpoints_controller.go.

import { builtInTypes, keyOf, type RequeueAfter, runWorkers, splitKey } from "@orch/client";
import { isCode } from "@orch/machinery";
import { messageOf } from "@orch/platform";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { isOfEndingNamespace } from "../../framework/write-errors";
import { endpointRules } from "./endpoint-rules";
import { PendingWrites } from "./pending-writes";
import { nextEndpoints } from "./pod-endpoints";
import {
  followServices,
  givesUp,
  LOOK_AGAIN_MS,
  regarding,
  type ServiceControllerOptions,
  serviceQueue,
} from "./service-controller";
import { hasSelector, podsBehind } from "./service-pods";
import { TriggerTimes } from "./trigger-times";

/** Runs the controller until the signal is aborted. */
export async function reconcileEndpoints(options: ServiceControllerOptions, signal: AbortSignal): Promise<void> {
  const { client, release, views, events, workers } = options;
  const context = { rules: endpointRules(release), vocabulary: vocabularyOf(client.vocabulary) };
  const type = builtInTypes(client.vocabulary).endpoints;
  const endpoints = views.whole(type);
  const queue = serviceQueue(options, "endpoint");
  const { services, pods } = followServices(options, queue);
  const own = new PendingWrites(endpoints);
  const times = new TriggerTimes();
  const isLock = ({ metadata }: coreV1.Endpoints) =>
    metadata?.annotations?.[context.vocabulary.annotations.controlPlaneAlphaLeader] !== undefined;
  endpoints.addHandler({
    // Queues existing objects, so that those of deleted services are removed.
    added: (found, isInInitialList) => {
      if (isInInitialList && !isLock(found)) queue.add(keyOf(found));
    },
    deleted: (found) => queue.add(keyOf(found)),
  });
  await Promise.all([endpoints, services, pods].map((each) => each.synced(signal))).catch(() => {});

  async function reconcile(key: string): Promise<RequeueAfter | undefined> {
    const { namespace, name } = splitKey(key);
    const access = client.resource(type).namespace(namespace);
    const service = services.store.get(key);
    const found = endpoints.store.get(key);
    if (service === undefined) {
      times.forget(key);
      own.forget(key);
      if (found !== undefined) await removeUnless404(() => access.delete(name));
      return undefined;
    }
    if (!hasSelector(service)) return undefined;
    if (service.spec?.type === "ExternalName" && !context.rules.followsExternalNames) return undefined;
    if (own.isAhead(key, found === undefined ? [] : [found])) return { againAfterMs: LOOK_AGAIN_MS };
    const behind = podsBehind(service, pods.store);
    const next = nextEndpoints(service, behind, found, times.look(key, service, behind), context);
    if (next === undefined) return undefined;
    try {
      own.written(key, await (found === undefined ? access.create(next) : access.update(next)));
    } catch (error) {
      if (isOfEndingNamespace(error)) return undefined;
      tell(next, found === undefined, error);
      throw error;
    }
    return undefined;
  }

  function tell(next: coreV1.Endpoints, isNew: boolean, error: unknown): void {
    const { namespace, name } = next.metadata ?? {};
    const [reason, note] = isNew
      ? ["FailedToCreateEndpoint", `Failed to create endpoint for service ${namespace}/${name}: ${messageOf(error)}`]
      : ["FailedToUpdateEndpoint", `Failed to update endpoint ${namespace}/${name}: ${messageOf(error)}`];
    events.record({ type: "Warning", reason, action: reason, note, regarding: regarding("Endpoints", next) });
  }

  await runWorkers({ queue, workers, signal, log: client.log, givesUp, reconcile });
}

async function removeUnless404(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isCode(error, 404)) throw error;
  }
}
