// One pass of changes, and whether there is to be another: plugins that build on an object may want to see what others made of it.
// Source: facts, admission/chain.md "Chain algorithm".
import { copyJson, type MutableAdmissionRequest, sameJson } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { MutationRound, ReinvocationNeed } from "./plugin";

export class Round implements MutationRound {
  private isSure = false;
  /** What the last plugin asked, which has yet to be looked at. */
  private asked = false;
  /** The object as each that asked has left it. */
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

  /** After each plugin. */
  look({ object }: MutableAdmissionRequest): void {
    if (!this.asked) return;
    this.asked = false;
    this.left ??= [];
    this.left.push(object && copyJson(object));
  }

  /** After the last. @returns undefined where this was the last round */
  next({ object }: MutableAdmissionRequest): Round | undefined {
    if (this.number === 1) return undefined;
    const isNeeded = this.isSure || this.left?.some((each) => !sameJson(each, object)) === true;
    return isNeeded ? new Round(1) : undefined;
  }
}
