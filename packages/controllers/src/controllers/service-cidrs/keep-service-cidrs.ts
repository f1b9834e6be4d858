// ServiceCIDR controller: adds the finalizer, reports the condition Ready, and releases a deleted ServiceCIDR when no
// address of a service needs it. Source: pkg/controller/servicecidrs/servicecidrs_controller.go.
import {
  builtInTypes,
  type Client,
  type EventSink,
  InformerFactory,
  type QueueMetrics,
  type RequeueAfter,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isBeingDeleted, isCode, timestamp } from "@orch/machinery";
import { EventLoopYielder } from "@orch/platform";
import { type JsonObject, type networkingV1, vocabularyOf } from "@orch/schema";
import { refusedTooOften } from "../../framework/write-errors";
import { containsAddress, orphanTest, overlapping } from "./cidr-uses";

type ServiceCIDR = networkingV1.ServiceCIDR;
type IPAddress = networkingV1.IPAddress;

export interface ServiceCidrsContext {
  readonly client: Client;
  readonly events: EventSink;
  readonly metrics?: (queue: string) => QueueMetrics;
}

const WORKERS = 5;
/** API servers whose caches are behind may allocate from a deleted ServiceCIDR for a moment. */
const GRACE_MS = 10_000;
const MANAGER = "service-cidr-controller";
/** Source: pkg/controller/servicecidrs/servicecidrs_controller.go, `maxRetries`. */
const RETRIES_MAX = 15;

/** Conditions of a ServiceCIDR, without their time. */
const READY = { type: "Ready", status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;
const IN_USE = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;

/** Runs the controller until the signal is aborted. */
export async function keepServiceCidrs(
  { client, events, metrics }: ServiceCidrsContext,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = client;
  const types = builtInTypes(client.vocabulary);
  const { finalizers, labels, labelValues } = vocabularyOf(client.vocabulary);
  const finalizer = finalizers.networkingServiceCidrFinalizer;
  const managed = `${labels.ipaddressManagedBy}=${labelValues.ipallocator}`;
  const access = client.resource(types.serviceCIDRs);
  const queue = new WorkQueue<string>({ clock, metrics: metrics?.("ipaddresses") });
  const loop = new EventLoopYielder();
  const factory = new InformerFactory(client);
  const cidrs = factory.informer(types.serviceCIDRs);
  const addresses = factory.informer(types.ipAddresses, { labelSelector: managed, transform: onlyName });

  const look = (cidr: ServiceCIDR) => queue.add(nameOf(cidr));
  const lookAround = (cidr: ServiceCIDR) => {
    look(cidr);
    for (const other of overlapping(cidr, [...cidrs.store.values()])) look(other);
  };
  cidrs.addHandler({ added: lookAround, updated: (_before, after) => look(after), deleted: lookAround });
  // Addresses matter only to ServiceCIDRs that wait for their end.
  const lookAtWaiting = (address: IPAddress) => {
    for (const cidr of [...cidrs.store.values()])
      if (isBeingDeleted(cidr as JsonObject) && containsAddress(cidr, nameOf(address))) look(cidr);
  };
  addresses.addHandler({ added: lookAtWaiting, deleted: lookAtWaiting });

  factory.start(signal);
  await addresses.synced(signal).catch(() => {});

  async function reconcile(name: string): Promise<RequeueAfter | undefined> {
    const cidr = cidrs.store.get(name);
    if (cidr === undefined) return undefined;
    if (isBeingDeleted(cidr as JsonObject)) return release(cidr);
    if (!isHeld(cidr, finalizer)) await patchFinalizers(name, { finalizers: [finalizer] });
    try {
      await report(cidr, READY);
    } catch (error) {
      events.record({
        type: "Warning",
        reason: "KubernetesServiceCIDRError",
        action: "KubernetesServiceCIDRError",
        note: "The ServiceCIDR Status can not be set to Ready=True",
        regarding: {
          kind: "ServiceCIDR",
          apiVersion: `${types.serviceCIDRs.group}/${types.serviceCIDRs.version}`,
          name,
          uid: cidr.metadata?.uid ?? "",
        },
      });
      throw error;
    }
    return undefined;
  }

  /** Removes the finalizer of a deleted ServiceCIDR that no address needs, after the grace period. */
  async function release(cidr: ServiceCIDR): Promise<RequeueAfter | undefined> {
    if (!isHeld(cidr, finalizer)) return undefined;
    if (await isInUse(cidr)) {
      await report(cidr, IN_USE);
      return undefined;
    }
    const graceMs = Date.parse(cidr.metadata?.deletionTimestamp ?? "") + GRACE_MS - clock.now();
    if (graceMs > 0) return { againAfterMs: graceMs };
    await patchFinalizers(nameOf(cidr), { "$deleteFromPrimitiveList/finalizers": [finalizer] });
    return undefined;
  }

  async function isInUse(cidr: ServiceCIDR): Promise<boolean> {
    const isOrphan = orphanTest(cidr, [...cidrs.store.values()]);
    if (isOrphan === undefined) return false;
    for (const address of [...addresses.store.values()]) {
      if (loop.isOver) await loop.next();
      if (isOrphan(nameOf(address))) return true;
    }
    return false;
  }

  async function patchFinalizers(name: string, metadata: JsonObject): Promise<void> {
    try {
      await access.patch(name, "strategic", { metadata });
    } catch (error) {
      if (!isCode(error, 404)) throw error;
    }
  }

  /** Sets the condition Ready where it differs. */
  async function report(cidr: ServiceCIDR, wanted: typeof READY | typeof IN_USE): Promise<void> {
    const present = cidr.status?.conditions?.find(({ type }) => type === wanted.type);
    const isSame =
      present?.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message;
    if (isSame) return;
    const conditions = [{ ...wanted, lastTransitionTime: timestamp(clock.now()) }];
    const applied = { metadata: { name: nameOf(cidr) }, status: { conditions } } as ServiceCIDR;
    await access.apply(applied, { fieldManager: MANAGER, force: true, subresource: "status" });
  }

  await runWorkers({ queue, workers: WORKERS, signal, log, reconcile, givesUp: refusedTooOften(RETRIES_MAX) });
  await factory.stopped();
}

const nameOf = ({ metadata }: ServiceCIDR | IPAddress): string => metadata?.name ?? "";

const isHeld = ({ metadata }: ServiceCIDR, finalizer: string): boolean =>
  (metadata?.finalizers ?? []).includes(finalizer);

/** Keeps of an IPAddress what the controller reads. */
const onlyName = ({ metadata }: IPAddress): IPAddress => ({
  metadata: { name: metadata?.name ?? "", resourceVersion: metadata?.resourceVersion ?? "" },
});
