// Endpoint slice controller: slices for the pods of each service with a selector. Source:
// pkg/controller/endpointslice/endpointslice_controller.go.

import { keyOf, type RequeueAfter, runWorkers } from "@orch/client";
import { messageOf } from "@orch/platform";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { endpointRules } from "./endpoint-rules";
import { FollowedSlices } from "./followed-slices";
import { planSlices, type SlicesContext } from "./pod-slices";
import {
  followServices,
  givesUp,
  LOOK_AGAIN_MS,
  regarding,
  type ServiceControllerOptions,
  SLICE_RETRIES,
  serviceQueue,
} from "./service-controller";
import { hasSelector, podsBehind } from "./service-pods";
import { sliceType } from "./slice-form";
import { TriggerTimes } from "./trigger-times";

export interface ReconcileSlicesOptions extends ServiceControllerOptions {
  /** Maximum number of endpoints of one slice. */
  readonly endpointsMax: number;
}

/** Runs the controller until the signal is aborted. Returns at once for a release without endpoint slices. */
export async function reconcileSlices(options: ReconcileSlicesOptions, signal: AbortSignal): Promise<void> {
  const { client, release, views, events, workers, endpointsMax } = options;
  const rules = endpointRules(release);
  const version = rules.sliceVersion;
  if (version === undefined) return;
  const vocabulary = vocabularyOf(client.vocabulary);
  const queue = serviceQueue(options, "endpoint_slice", SLICE_RETRIES);
  const { services, pods } = followServices(options, queue);
  const nodes = views.nodes();
  const informer = views.whole(sliceType(vocabulary, version));
  const managedBy = vocabulary.labelValues.endpointsliceController;
  const slices = new FollowedSlices({ client, slices: informer, version, managedBy });
  const times = new TriggerTimes();
  const waiting = new MissingNodes();
  slices.tell((key, afterMs) => queue.addAfter(key, Math.max(afterMs, options.gatherMs)));
  nodes.addHandler({
    added: (node) => {
      for (const key of waiting.of(keyOf(node))) queue.add(key);
    },
  });
  await Promise.all([services, pods, nodes, informer].map((each) => each.synced(signal))).catch(() => {});
  const context: SlicesContext = { rules, version, vocabulary, endpointsMax, node: (name) => nodes.store.get(name) };

  async function reconcile(key: string): Promise<RequeueAfter | undefined> {
    const service = services.store.get(key);
    if (service === undefined) {
      // The garbage collector deletes the slices, which the service owns.
      times.forget(key);
      slices.forget(key);
      waiting.set(key, []);
      return undefined;
    }
    if (!hasSelector(service)) return undefined;
    if (service.spec?.type === "ExternalName" && !rules.followsExternalNames) return undefined;
    const found = slices.of(key);
    if (found === undefined) return { againAfterMs: LOOK_AGAIN_MS };
    const behind = podsBehind(service, pods.store);
    const { plan, missingNodes } = planSlices(service, behind, found, context);
    const trigger = times.look(key, service, behind);
    waiting.set(key, missingNodes);
    try {
      await slices.write(key, plan, { trigger, makes: !service.metadata?.deletionTimestamp });
      if (missingNodes.length > 0) throw new Error(missingText(missingNodes));
    } catch (error) {
      tell(service, error);
      throw error;
    }
    return undefined;
  }

  function tell(service: coreV1.Service, error: unknown): void {
    const reason = "FailedToUpdateEndpointSlices";
    const { namespace, name } = service.metadata ?? {};
    const note = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${messageOf(error)}`;
    events.record({ type: "Warning", reason, action: reason, note, regarding: regarding("Service", service) });
  }

  await runWorkers({ queue, workers, signal, log: client.log, givesUp, reconcile });
}

const missingText = (nodes: readonly string[]): string => nodes.map((name) => `node "${name}" not found`).join(", ");

/** Services with pods on nodes that are not known yet. */
class MissingNodes {
  private readonly services = new Map<string, readonly string[]>();

  set(service: string, nodes: readonly string[]): void {
    if (nodes.length === 0) this.services.delete(service);
    else this.services.set(service, nodes);
  }

  of(node: string): readonly string[] {
    return [...this.services].filter(([, nodes]) => nodes.includes(node)).map(([service]) => service);
  }
}
