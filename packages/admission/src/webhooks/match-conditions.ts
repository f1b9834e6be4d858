// Match conditions: CEL expressions that decide whether a webhook is called, evaluated after its rules and selectors.
// Source: KEP-3716, "Admission Webhook Match Conditions".
import { runInSlices } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { EVALUATION_YIELDER } from "../policies/evaluation-yielder";
import { type CompiledPolicy, policySteps } from "../policies/policy-compilation";
import type { PolicyRequest } from "../policies/policy-request";
import { PolicyRun } from "../policies/policy-run";
import type { MatchedVersion } from "../requests/request-bodies";

export interface MatchConditionSite {
  readonly vocabulary: Vocabulary;
}

export interface ConditionText {
  readonly name: string;
  readonly expression: string;
}

export type ConditionOutcome = "holds" | "fails" | { readonly error: string };

/** Match conditions of one webhook. Compiled at first use and kept, because most webhooks match few requests. */
export class MatchConditions {
  private compiling: Promise<CompiledPolicy> | undefined;

  constructor(
    private readonly texts: readonly ConditionText[],
    private readonly site: MatchConditionSite,
  ) {}

  /**
   * Evaluates the conditions. One that is false decides, even when others fail. @throws StatusError when the objects
   * cannot be obtained
   */
  async evaluate(asked: PolicyRequest, as: MatchedVersion): Promise<ConditionOutcome> {
    this.compiling ??= runInSlices(policySteps({ matchConditions: [...this.texts] }, this.site), EVALUATION_YIELDER);
    const policy = await this.compiling;
    const said = await new PolicyRun(policy, await asked.values(as, undefined)).conditions();
    if (typeof said !== "boolean") return { error: said.message };
    return said ? "holds" : "fails";
  }
}
