// Condition EvictionInProgress of device taint rules. Source: KEP-5055, "DRA: device taints and tolerations";
// pkg/controller/devicetainteviction/device_taint_eviction.go.
import { timestamp } from "@orch/machinery";
import { type metaV1, parseTime } from "@orch/schema";
import type { TaintRule } from "./eviction-times";
import type { SelectedDevices } from "./tainted-pods";

const EVICTION_IN_PROGRESS = "EvictionInProgress";
/** Shortest time between two updates of the condition for one generation of the rule. */
export const STATUS_PERIOD_MS = 10_000;

export interface RuleFacts {
  /** Namespaces of the pods that leave, or would. One entry per pod. */
  readonly pending: readonly string[];
  /** Selected devices; undefined: they are not reported. */
  readonly devices: SelectedDevices | undefined;
  /** Number of pods that have left because of the rule. */
  readonly evicted: number;
}

type Condition = metaV1.Condition;

const conditionOf = ({ status }: TaintRule): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === EVICTION_IN_PROGRESS);

/** Returns the milliseconds until the condition may be updated; 0: now. */
export function updateDelayMs(rule: TaintRule, nowMs: number): number {
  const present = conditionOf(rule);
  if (present === undefined || present.observedGeneration !== rule.metadata?.generation) return 0;
  const sinceMs = nowMs - (parseTime(present.lastTransitionTime ?? "") ?? 0);
  return Math.max(0, STATUS_PERIOD_MS - sinceMs);
}

/** Returns the condition that a rule is to have; undefined when it has it. */
export function nextCondition(rule: TaintRule, facts: RuleFacts, nowMs: number): Condition | undefined {
  const { evicted } = facts;
  const { reason, status, message }: Judgement = { status: "False", message: "", ...judged(rule, facts) };
  const ended = evicted > 0 ? `${counted(evicted, "pod", "pods")} evicted since starting the controller.` : "";
  const next = { reason, status, message: [message, ended].filter((text) => text !== "").join(" ") } as const;
  const present = conditionOf(rule);
  const generation = rule.metadata?.generation;
  const isSame =
    present !== undefined &&
    present.observedGeneration === generation &&
    (["reason", "status", "message"] as const).every((name) => present[name] === next[name]);
  if (isSame) return undefined;
  return {
    type: EVICTION_IN_PROGRESS,
    ...next,
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: timestamp(nowMs),
  };
}

interface Judgement {
  readonly reason: string;
  readonly status: "True" | "False";
  readonly message: string;
}

/** Returns what differs from the status False without a message. */
function judged(
  { spec }: TaintRule,
  { pending, devices, evicted }: RuleFacts,
): Partial<Judgement> & { reason: string } {
  const spaces = counted(new Set(pending).size, "namespace", "different namespaces");
  switch (spec.taint?.effect) {
    case "NoExecute":
      if (pending.length > 0) {
        const message = `${counted(pending.length, "pod needs", "pods need")} to be evicted in ${spaces}.`;
        return { reason: "PodsPendingEviction", status: "True", message };
      }
      return { reason: evicted > 0 ? "Completed" : "NotStarted" };
    case "None": {
      const { published, allocated } = devices ?? { published: 0, allocated: 0 };
      const message = [
        `${counted(published, "published device", "published devices")} selected.`,
        `${counted(allocated, "allocated device", "allocated devices")} selected.`,
        `${counted(pending.length, "pod", "pods")} would be evicted in ${spaces} if the effect was NoExecute.`,
        "This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
      ];
      return { reason: "NoEffect", message: message.join(" ") };
    }
    default:
      return { reason: "OtherEffect", message: "Eviction only happens for the NoExecute effect." };
  }
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
