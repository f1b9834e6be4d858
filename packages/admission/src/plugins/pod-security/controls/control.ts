// A control: one rule of a level, which may change between releases. Source: Kubernetes documentation, "Pod Security
// Standards".
import type { CheckedPod } from "./checked-pod";

export interface Control {
  readonly id: string;
  /** Level that requires the control. */
  readonly level: "baseline" | "restricted";
  /** Id of the baseline control that this one replaces, from its own first release. */
  readonly overrides?: string;
  /** Versions of the rule, ascending by the release from which each holds. */
  readonly versions: readonly ControlVersion[];
  readonly passes?: Passes;
}

interface ControlVersion {
  readonly since: string;
  readonly check: Check;
}

/** Pods that are exempt from a control, and since which release. */
export interface Passes {
  /** Exempts pods whose `spec.os.name` is `windows`. */
  readonly windowsSince?: string;
  /** Exempts pods whose `spec.hostUsers` is false. */
  readonly ownUsersSince?: string;
}

/** Checks a pod. @returns undefined for a pod that complies */
export type Check = (pod: CheckedPod) => Violation | undefined;

export interface Violation {
  /** One of few values: pods are grouped by it in warnings. */
  readonly reason: string;
  /** Names the violating containers or fields and the required setting. */
  readonly detail?: string;
}
