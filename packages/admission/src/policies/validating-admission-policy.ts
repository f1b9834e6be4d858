// Expressions that requests must meet, as policies say them and bindings put them to work. Source: access-control, "Admission control"; the
// field's ValidatingAdmissionPolicy.
import { type AdmissionRequest, type AdmissionTrace, StatusError, type StatusReason } from "@orch/machinery";
import { type JsonObject, writeJson } from "@orch/schema";
import { type AdmissionPlugin, definePlugin } from "../plugin";
import { forbidden } from "../refusal";
import { annotationsOf, type Noted } from "./audit-notes";
import { configurationKinds } from "./configuration-kinds";
import type { Candidate, KnownBinding, KnownPolicy } from "./known-policies";
import { LoopTurn } from "./loop-turn";
import { ConfigurationError, paramsOf } from "./params";
import type { PolicyCheck } from "./policy-observer";
import { PolicyRequest } from "./policy-request";
import { PolicyRun } from "./policy-run";
import { type Decision, type Verdict, verdictOf } from "./policy-verdict";
import { knownPolicies, POLICY_GATE, POLICY_READS, type PolicyWorld } from "./policy-world";

export const validatingAdmissionPolicy = definePlugin({
  name: "ValidatingAdmissionPolicy",
  reads: POLICY_READS,
  make: (world): AdmissionPlugin => {
    if (!world.options.isOn(POLICY_GATE)) return { on: [] };
    const known = knownPolicies(world, "ValidatingAdmissionPolicy");
    const isConfiguration = configurationKinds(world.vocabulary);
    return {
      on: [{ operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }],
      validate(request) {
        if (isConfiguration(request)) return undefined;
        const candidates = known.candidates(request);
        if (candidates instanceof Promise) return candidates.then((all) => judge(all, request, world));
        return candidates.length > 0 ? judge(candidates, request, world) : undefined;
      },
    };
  },
});

/** A decision that a binding carries out by its actions. */
interface Bound {
  readonly policy: KnownPolicy;
  readonly binding: KnownBinding | undefined;
  readonly message: string;
  readonly reason?: string | undefined;
}

/** All policies are asked, whichever of them refuse: what the others warn of and note is told too. */
async function judge(candidates: readonly Candidate[], request: AdmissionRequest, world: PolicyWorld): Promise<void> {
  const judgement = new Judgement(request, world);
  for (const candidate of candidates) await judgement.ask(candidate);
  judgement.end();
}

class Judgement {
  private readonly seen: PolicyRequest;
  private readonly turn = new LoopTurn();
  /** When the policy at hand was begun, for who wants to know. */
  private sinceMs = 0;
  private readonly refused: Bound[] = [];
  private readonly noted: Noted[] = [];
  private readonly failures: JsonObject[] = [];

  constructor(
    private readonly request: AdmissionRequest,
    private readonly world: PolicyWorld,
  ) {
    this.seen = new PolicyRequest(request, world);
  }

  async ask({ policy, meets, bindings }: Candidate): Promise<void> {
    const { request, world } = this;
    const met = policy.match.matches(meets, request, world.objects);
    const as = met instanceof Promise ? await this.configured(policy, undefined, met) : met;
    if (as === undefined) return;
    for (const { binding, meets: own } of bindings) {
      const bound = binding.match.matches(own, request, world.objects);
      const isBound = bound instanceof Promise ? await this.configured(policy, binding, bound) : bound;
      if (isBound === undefined) continue;
      const found = paramsOf(policy, binding, request, world);
      const params = found instanceof Promise ? await this.configured(policy, binding, found) : found;
      if (params === undefined) continue;
      const compiled = policy.compiled instanceof Promise ? await policy.compiled : policy.compiled;
      for (const param of params) {
        this.sinceMs = request.trace === undefined ? 0 : performance.now();
        const values = this.seen.values(as, param);
        const run = new PolicyRun(compiled, values instanceof Promise ? await values : values, this.turn);
        const late = verdictOf(policy, compiled, run);
        const verdict = late instanceof Promise ? await late : late;
        for (const decision of verdict.decisions) this.decide(policy, binding, decision);
        if (request.trace !== undefined) this.trace(policy, binding, verdict, request.trace);
        for (const note of verdict.notes) this.noted.push({ policy: policy.name, ...note });
        for (const message of verdict.brokenNotes) this.refused.push({ policy, binding, message });
      }
    }
  }

  /** The worst that it has said, with what the binding makes of it. */
  private trace(
    policy: KnownPolicy,
    binding: KnownBinding,
    { decisions, brokenNotes }: Verdict,
    trace: AdmissionTrace,
  ): void {
    const of = { phase: "validate", round: 0, plugin: "ValidatingAdmissionPolicy" } as const;
    const seconds = (performance.now() - this.sinceMs) / 1000;
    const step = { ...of, part: `${policy.name}/${binding.name}`, seconds };
    const [broken] = brokenNotes;
    const failed = decisions.find(({ kind }) => kind === "failed") ?? decisions[0];
    if (broken !== undefined) trace.tell({ ...step, decision: "failed", code: 422, message: broken });
    else if (failed === undefined) trace.tell({ ...step, decision: "allowed" });
    else if (failed.kind === "admitted" || !binding.spec.validationActions?.includes("Deny"))
      trace.tell({ ...step, decision: "ignored", message: failed.message });
    else {
      const { code } = refusal(this.request, { policy, binding, ...failed });
      trace.tell({
        ...step,
        decision: failed.error === "no_error" ? "denied" : "failed",
        code,
        message: failed.message,
      });
    }
  }

  /** Where policy, binding and objects do not fit together, the failure policy decides. */
  private async configured<Value>(
    policy: KnownPolicy,
    binding: KnownBinding | undefined,
    value: Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await value;
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof StatusError)) throw error;
      const what = binding === undefined ? "policy" : "binding";
      if (policy.failsClosed)
        this.refused.push({ policy, binding, message: `failed to configure ${what}: ${error.message}` });
      return undefined;
    }
  }

  private decide(policy: KnownPolicy, binding: KnownBinding, decision: Decision): void {
    const { validationActions = [] } = binding.spec;
    const { error, seconds } = decision;
    const said = (action: PolicyCheck["action"]) =>
      this.world.policyObserver?.validated({ policy: policy.name, binding: binding.name, error, seconds, action });
    if (decision.kind === "admitted") {
      said("allow");
      return;
    }
    const { message, reason, index: expressionIndex } = decision;
    for (const action of validationActions) {
      switch (action) {
        case "Deny":
          this.refused.push({ policy, binding, message, reason });
          said("deny");
          break;
        case "Warn":
          this.request.warn(
            `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
          );
          said("warn");
          break;
        case "Audit":
          this.failures.push({
            message,
            policy: policy.name,
            binding: binding.name,
            expressionIndex,
            validationActions: [...validationActions],
          });
          said("audit");
      }
    }
  }

  /** @throws StatusError of the first that refuses */
  end(): void {
    const { request, failures } = this;
    const { validationPolicyAdmissionValidationFailure: key } = this.world.vocabulary.auditAnnotations;
    if (failures.length > 0) request.annotate(key, writeJson(failures));
    for (const [annotation, value] of annotationsOf(this.noted)) request.annotate(annotation, value);
    const [first] = this.refused;
    if (first !== undefined) throw refusal(request, first);
  }
}

/** HTTP codes of the reasons that a validation may give; any other is Invalid. */
const REASONS: ReadonlySet<string> = new Set(["Forbidden", "Unauthorized", "RequestEntityTooLarge"]);

function refusal(request: AdmissionRequest, { policy, binding, message, reason = "Invalid" }: Bound): StatusError {
  const by = binding === undefined ? "" : ` with binding '${binding.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${message}`;
  const { message: whole, details } = forbidden(request, text, [{ message: text }]);
  return new StatusError((REASONS.has(reason) ? reason : "Invalid") as StatusReason, whole, details);
}
