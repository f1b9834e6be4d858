// One mutation round, and whether a second one follows: plugins may ask to see what later plugins made of the object.
// Source: staging/src/k8s.io/apiserver/pkg/admission/reinvocation.go.
import { copyJson, type MutableAdmissionRequest, sameJson } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { MutationRound, ReinvocationNeed } from "../contract/plugin";

export class Round implements MutationRound {
  private isSure = false;
  /** Whether the last plugin asked for a round `IfNeeded`; reset by `look`. */
  private asked = false;
  /** Copies of the object as each plugin that asked for a round left it. */
  private left: (JsonObject | undefined)[] | undefined;

  constructor(readonly number: 0 | 1) {}

  again(need: ReinvocationNeed): void {
    if (this.number === 1) return;
    switch (need) {
      case "Always":
        this.isSure = true;
        return;
      case "IfNeeded":
        this.asked = true;
    }
  }

  /** Called after each plugin. */
  look({ object }: MutableAdmissionRequest): void {
    if (!this.asked) return;
    this.asked = false;
    this.left ??= [];
    this.left.push(object && copyJson(object));
  }

  /** Called after the last plugin. @returns the second round, or undefined when none is needed */
  next({ object }: MutableAdmissionRequest): Round | undefined {
    if (this.number === 1) return undefined;
    const isNeeded = this.isSure || this.left?.some((each) => !sameJson(each, object)) === true;
    return isNeeded ? new Round(1) : undefined;
  }
}
