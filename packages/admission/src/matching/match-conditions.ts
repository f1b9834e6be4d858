// Expressions that say whether a webhook is about a request, once its rules and selectors have said so.
// Source: facts, admission/webhooks.md "matchConditions".
import type { Vocabulary } from "@orch/schema";
import { inTurns, type LoopTurn } from "../policies/loop-turn";
import { type CompiledPolicy, policySteps } from "../policies/policy-compilation";
import type { PolicyRequest } from "../policies/policy-request";
import { PolicyRun } from "../policies/policy-run";
import type { ShownAs } from "./request-bodies";

export interface MatchConditionSite {
  readonly vocabulary: Vocabulary;
}

export interface ConditionText {
  readonly name: string;
  readonly expression: string;
}

export type ConditionOutcome = "holds" | "fails" | { readonly error: string };

/** Compiled when first asked, and kept: most webhooks are asked about little of what there is. */
export class MatchConditions {
  private compiling: Promise<CompiledPolicy> | undefined;

  constructor(
    private readonly texts: readonly ConditionText[],
    private readonly site: MatchConditionSite,
  ) {}

  /** One that does not hold decides, whatever has become of the others. @throws StatusError where the objects cannot be had */
  async evaluate(asked: PolicyRequest, as: ShownAs, turn: LoopTurn): Promise<ConditionOutcome> {
    this.compiling ??= inTurns(policySteps({ matchConditions: [...this.texts] }, this.site));
    const policy = await this.compiling;
    const said = await new PolicyRun(policy, await asked.values(as, undefined), turn).conditions();
    if (typeof said !== "boolean") return { error: said.message };
    return said ? "holds" : "fails";
  }
}
