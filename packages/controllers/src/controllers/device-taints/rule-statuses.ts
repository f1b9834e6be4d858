// Status of device taint rules: whether pods are still to leave, and how many have left. Source:
// pkg/controller/devicetainteviction/device_taint_eviction.go.
import type { Client, Informer, InformerFactory, RequeueAfter, ResourceType } from "@orch/client";
import { isCode } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { servedVersion } from "../../framework/served-version";
import type { TaintRule } from "./eviction-times";
import { nextCondition, updateDelayMs } from "./rule-condition";
import type { TaintedPods } from "./tainted-pods";

/** Field manager: the name of the controller. */
const MANAGER = "device-taint-eviction-controller";
/** Versions of the rules, all of one form; the newest first. */
const VERSIONS = ["v1", "v1beta2", "v1alpha3"];

export interface Rules {
  readonly type: ResourceType<TaintRule>;
  readonly informer: Informer<TaintRule>;
}

/** Returns the rules in the newest version that the server serves; undefined when it serves none. */
export async function ruleInformer(
  client: Client,
  factory: InformerFactory,
  signal: AbortSignal,
): Promise<Rules | undefined> {
  const names = { group: vocabularyOf(client.vocabulary).groups.resource, resource: "devicetaintrules" };
  const version = await servedVersion({ ...names, versions: VERSIONS }, client, signal);
  if (version === undefined) return undefined;
  const type = { ...names, version, kind: "DeviceTaintRule", namespaced: false };
  return { type, informer: factory.informer<TaintRule>(type) };
}

export class RuleStatuses {
  /** Number of pods that left because of a rule, by its UID. */
  private readonly counts = new Map<string, number>();

  constructor(private readonly of: Rules & { readonly client: Client; readonly tainted: TaintedPods }) {}

  /** Counts a pod that has left because of a rule. */
  evicted({ metadata }: TaintRule): void {
    const uid = metadata?.uid ?? "";
    if (this.of.informer.store.get(metadata?.name ?? "")?.metadata?.uid !== uid) return;
    this.counts.set(uid, (this.counts.get(uid) ?? 0) + 1);
  }

  forget({ metadata }: TaintRule): void {
    this.counts.delete(metadata?.uid ?? "");
  }

  /** Updates the condition of a rule, unless it has been updated a short time ago. */
  async report(name: string): Promise<RequeueAfter | undefined> {
    const { client, type, informer, tainted } = this.of;
    const nowMs = client.clock.now();
    const rule = informer.store.get(name);
    if (rule === undefined) return undefined;
    const againAfterMs = updateDelayMs(rule, nowMs);
    if (againAfterMs > 0) return { againAfterMs };
    const effect = rule.spec.taint?.effect;
    const leaving = effect === "NoExecute" || effect === "None" ? tainted.leavingBy(rule) : [];
    const { uid = "" } = rule.metadata ?? {};
    const condition = nextCondition(
      rule,
      {
        pending: leaving.map(({ metadata }) => metadata?.namespace ?? ""),
        devices: effect === "None" ? tainted.devicesBy(rule) : undefined,
        evicted: this.counts.get(uid) ?? 0,
      },
      nowMs,
    );
    if (condition === undefined) return undefined;
    const applied = { metadata: { name, uid }, status: { conditions: [condition] } } as unknown as TaintRule;
    try {
      await client.resource(type).apply(applied, { fieldManager: MANAGER, force: true, subresource: "status" });
    } catch (error) {
      // The rule is gone, or another one has its name.
      if (!isCode(error, 404, 409)) throw error;
    }
    return undefined;
  }
}
