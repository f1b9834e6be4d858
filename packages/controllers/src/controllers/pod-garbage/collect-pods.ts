// Pod garbage collector: deletes orphaned and terminated pods without a grace period. Source:
// pkg/controller/podgc/gc_controller.go.
import { builtInTypes, type Client, type Informer } from "@orch/client";
import { isCode } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { compareReleases, type coreV1, timeText } from "@orch/schema";
import type { SharedViews } from "../../framework/shared-views";
import { hasEnded, hasOnlyFinalizers, MissingNodes, neverScheduled, terminatedBeyond } from "./pods-to-remove";

export interface PodGarbageOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly views: SharedViews;
  /** Number of terminated pods to keep; 0 or less: all. */
  readonly endedMax: number;
}

/**
 * First release in which a pod is marked as failed before it is deleted, so that its controller creates another one.
 */
const SAID_FAILED_SINCE = "1.26";
const LOOK_AGAIN_MS = 20_000;
const AT_ONCE = 10;

/** Runs the controller until the signal is aborted. */
export async function collectPods(
  { client, release, views, endedMax }: PodGarbageOptions,
  signal: AbortSignal,
): Promise<void> {
  const known = { pods: views.pods(), nodes: views.nodes() };
  await Promise.all([known.pods.synced(signal), known.nodes.synced(signal)]).catch(() => {});
  const saysFailed = compareReleases(release, SAID_FAILED_SINCE) >= 0;
  const remover = new PodGarbageCollector(client, { endedMax, saysFailed }, known);
  while (!signal.aborted) {
    await remover.pass(signal);
    await pauseUnlessAborted(client.clock, LOOK_AGAIN_MS, signal);
  }
}

class PodGarbageCollector {
  private readonly missing = new MissingNodes();

  constructor(
    private readonly client: Client,
    private readonly options: { readonly endedMax: number; readonly saysFailed: boolean },
    private readonly known: { readonly pods: Informer<coreV1.Pod>; readonly nodes: Informer<coreV1.Node> },
  ) {}

  /** Makes one pass. A failed deletion is retried in the next pass. */
  async pass(signal: AbortSignal): Promise<void> {
    const pods = [...this.known.pods.store.values()];
    const removals: Removal[] = [
      ...terminatedBeyond(pods, this.options.endedMax).map((pod) => ({
        pod,
        why: "the number of finished pods exceeds the limit",
      })),
      ...(await this.withoutNode(pods)).map((pod) => ({ pod, why: "its node does not exist", disruption: NODE_GONE })),
      ...neverScheduled(pods).map((pod) => ({ pod, why: "it was deleted before it was scheduled" })),
    ];
    const next = removals
      .filter(({ pod }) => !hasOnlyFinalizers(pod) || (this.options.saysFailed && !hasEnded(pod)))
      .values();
    const work = async (): Promise<void> => {
      for (const removal of next) {
        if (signal.aborted) return;
        await this.remove(removal);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, removals.length) }, work));
  }

  private async withoutNode(pods: readonly coreV1.Pod[]): Promise<readonly coreV1.Pod[]> {
    const present = new Set<string>();
    for (const { metadata } of this.known.nodes.store.values()) present.add(metadata?.name ?? "");
    const gone = new Set<string>();
    for (const node of this.missing.look(pods, present, this.client.clock.elapsed())) {
      if (await this.isGone(node)) gone.add(node);
    }
    return gone.size === 0 ? [] : pods.filter(({ spec }) => gone.has(spec?.nodeName ?? ""));
  }

  /**
   * Asks the server whether a node is gone, regardless of the cache: a pod that is deleted by mistake keeps running,
   * and its replacement runs too.
   */
  private async isGone(node: string): Promise<boolean> {
    try {
      const { nodes } = builtInTypes(this.client.vocabulary);
      if ((await this.client.resource(nodes).find(node)) === undefined) return true;
      this.missing.forget(node);
    } catch (error) {
      this.client.log.warn("cannot check whether a node exists", { node, error: String(error) });
    }
    return false;
  }

  private async remove({ pod, why, disruption }: Removal): Promise<void> {
    const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
    const access = this.client.resource(builtInTypes(this.client.vocabulary).pods).namespace(namespace);
    try {
      if (this.options.saysFailed && (disruption !== undefined || !hasEnded(pod))) {
        const status = { ...(hasEnded(pod) ? {} : { phase: "Failed" }), ...this.conditionsOf(disruption) };
        await access.patch(name, "strategic", { metadata: { uid }, status }, { subresource: "status" });
      }
      await access.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
      this.client.log.info("deleted a pod", { namespace, name, why });
    } catch (error) {
      // The pod is gone, or was recreated.
      if (isCode(error, 404, 409)) return;
      this.client.log.warn("cannot delete a pod", { namespace, name, why, error: String(error) });
    }
  }

  private conditionsOf(disruption: Disruption | undefined): object {
    if (disruption === undefined) return {};
    const lastTransitionTime = timeText(this.client.clock.now());
    return { conditions: [{ type: "DisruptionTarget", status: "True", lastTransitionTime, ...disruption }] };
  }
}

interface Disruption {
  readonly reason: string;
  readonly message: string;
}

const NODE_GONE: Disruption = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

interface Removal {
  readonly pod: coreV1.Pod;
  readonly why: string;
  /** Condition that the pod gets. */
  readonly disruption?: Disruption;
}
