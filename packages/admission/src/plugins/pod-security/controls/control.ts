// What a control is: one rule of a level, which may have become another rule in a later release.
// Source: facts, admission/podsecurity.md "Controls".
import type { CheckedPod } from "./checked-pod";

export interface Control {
  readonly id: string;
  /** That asks for it. */
  readonly level: "baseline" | "restricted";
  /** The baseline control in whose place it stands, from its own first release. */
  readonly overrides?: string;
  /** By the release from which a rule holds, ascending. */
  readonly versions: readonly ControlVersion[];
  readonly passes?: Passes;
}

export interface ControlVersion {
  readonly since: string;
  readonly check: Check;
}

/** Pods that a control does not concern, and since which release. */
export interface Passes {
  /** `spec.os.name` is `windows`. */
  readonly windowsSince?: string;
  /** `spec.hostUsers` is false. */
  readonly ownUsersSince?: string;
}

/** @returns undefined for a pod that keeps the rule */
export type Check = (pod: CheckedPod) => Violation | undefined;

export interface Violation {
  /** Of few values: by it, pods are told together. */
  readonly reason: string;
  /** Who breaks the rule, and how it is kept. */
  readonly detail?: string;
}
