// ValidatingAdmissionPolicy plugin: evaluates the validations of policies and carries out the actions of their
// bindings. Source: KEP-3488, "CEL for Admission Control".

import { type CelValue, PromptRun } from "@orch/expressions";
import {
  type AdmissionRequest,
  type AdmissionTrace,
  type ServedVersion,
  StatusError,
  type StatusReason,
} from "@orch/machinery";
import { type JsonObject, writeJson } from "@orch/schema";
import type { MaybePromise } from "../contract/dependencies";
import { type AdmissionPlugin, definePlugin } from "../contract/plugin";
import type { PolicyCheck } from "../contract/policy-observer";
import { forbidden } from "../contract/refusal";
import type { MatchedVersion } from "../requests/request-bodies";
import { EVALUATION_YIELDER } from "./evaluation-yielder";
import { inOrder } from "./in-order";
import type { Candidate, KnownBinding, KnownPolicy } from "./known-policies";
import { ConfigurationError, paramsOf } from "./params";
import type { CompiledPolicy } from "./policy-compilation";
import { POLICY_GATE, POLICY_READS, type PolicyDependencies, policySources } from "./policy-dependencies";
import { PolicyRequest } from "./policy-request";
import { PolicyRun } from "./policy-run";
import { annotationsOf, type Decision, type PolicyAnnotation, type Verdict, verdictOf } from "./policy-verdict";

export const validatingAdmissionPolicy = definePlugin({
  name: "ValidatingAdmissionPolicy",
  reads: POLICY_READS,
  make: (dependencies): AdmissionPlugin => {
    if (!dependencies.options.isOn(POLICY_GATE)) return { on: [] };
    const policies = policySources(dependencies, "ValidatingAdmissionPolicy");
    return {
      on: [{ operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }],
      validate(request) {
        const candidates = policies.for(request)?.candidates(request);
        if (candidates === undefined) return undefined;
        if (candidates instanceof Promise) return candidates.then((all) => judge(all, request, dependencies));
        return candidates.length > 0 ? judge(candidates, request, dependencies) : undefined;
      },
    };
  },
});

/** Failed decision with its binding. */
interface Bound {
  readonly policy: KnownPolicy;
  readonly binding: KnownBinding | undefined;
  readonly message: string;
  readonly reason?: string | undefined;
}

/** A policy that is evaluated for one of its bindings. */
interface Asking {
  readonly policy: KnownPolicy;
  readonly binding: KnownBinding;
  readonly compiled: CompiledPolicy;
  readonly as: MatchedVersion;
}

/** Evaluates all policies, even after a refusal, so that all warnings and audit annotations are recorded. */
function judge(
  candidates: readonly Candidate[],
  request: AdmissionRequest,
  dependencies: PolicyDependencies,
): void | Promise<void> {
  const judgement = new Judgement(request, dependencies);
  const late = inOrder(candidates, (candidate) => judgement.ask(candidate));
  return late === undefined ? judgement.end() : late.then(() => judgement.end());
}

/** Steps per policy in addition to those of its expressions. */
const PROMPT_STEPS = 20;

class Judgement {
  private readonly seen: PolicyRequest;
  private prompt: { readonly of: ServedVersion; readonly run: PromptRun } | undefined;
  /** Start of the current policy, for traces. */
  private sinceMs = 0;
  private readonly refused: Bound[] = [];
  private readonly noted: PolicyAnnotation[] = [];
  private readonly failures: JsonObject[] = [];

  constructor(
    private readonly request: AdmissionRequest,
    private readonly dependencies: PolicyDependencies,
  ) {
    this.seen = new PolicyRequest(request, dependencies);
  }

  /** Evaluates a candidate. Synchronous when nothing is awaited, which is usual once policies are compiled. */
  ask(candidate: Candidate): void | Promise<void> {
    if (this.holdsPromptly(candidate)) {
      const steps = PROMPT_STEPS + (this.prompt?.run.work ?? 0);
      return EVALUATION_YIELDER.isOverAfter(steps) ? EVALUATION_YIELDER.next() : undefined;
    }
    const { policy, meets, bindings } = candidate;
    const met = policy.match.matches(meets, this.request, this.dependencies.objects);
    if (met === undefined) return undefined;
    const askAs = (as: MatchedVersion) => inOrder(bindings, (bound) => this.askBound(policy, bound, as));
    if (!(met instanceof Promise)) return askAs(met);
    return this.configured(policy, undefined, met).then((as) => (as === undefined ? undefined : askAs(as)));
  }

  /** Fast path: returns whether the policy is known to allow the request without further work. */
  private holdsPromptly({ policy, always }: Candidate): boolean {
    if (always === undefined || this.request.trace !== undefined) return false;
    const { compiled } = policy;
    if (compiled instanceof Promise || compiled.prompt === undefined) return false;
    if (this.prompt?.of !== always.version) {
      const values = this.seen.values(always, undefined);
      if (values instanceof Promise) return false;
      this.prompt = { of: always.version, run: new PromptRun(values) };
    }
    return compiled.prompt.hold(this.prompt.run);
  }

  private askBound(
    policy: KnownPolicy,
    { binding, meets }: Candidate["bindings"][number],
    as: MatchedVersion,
  ): void | Promise<void> {
    const { request, dependencies } = this;
    const bound = binding.match.matches(meets, request, dependencies.objects);
    if (bound === undefined) return undefined;
    if (bound instanceof Promise) return this.askBoundLater(policy, binding, as, bound);
    const params = paramsOf(policy, binding, request, dependencies);
    const { compiled } = policy;
    if (params instanceof Promise || compiled instanceof Promise)
      return this.askBoundLater(policy, binding, as, bound, params);
    return this.askWith({ policy, binding, compiled, as }, params);
  }

  private async askBoundLater(
    policy: KnownPolicy,
    binding: KnownBinding,
    as: MatchedVersion,
    bound: MaybePromise<MatchedVersion | undefined>,
    found?: ReturnType<typeof paramsOf>,
  ): Promise<void> {
    if ((await this.configured(policy, binding, bound)) === undefined) return;
    const { request, dependencies } = this;
    const params = await this.configured(policy, binding, found ?? paramsOf(policy, binding, request, dependencies));
    if (params === undefined) return;
    await this.askWith({ policy, binding, compiled: await policy.compiled, as }, params);
  }

  private askWith(asking: Asking, params: readonly (JsonObject | undefined)[]): void | Promise<void> {
    return inOrder(params, (param) => {
      this.sinceMs = this.request.trace === undefined ? 0 : performance.now();
      const values = this.seen.values(asking.as, param);
      return values instanceof Promise
        ? values.then((made) => this.askOver(asking, made))
        : this.askOver(asking, values);
    });
  }

  private askOver(asking: Asking, values: readonly CelValue[]): void | Promise<void> {
    const { policy, compiled } = asking;
    const verdict = verdictOf(policy, compiled, new PolicyRun(compiled, values));
    return verdict instanceof Promise ? verdict.then((late) => this.take(asking, late)) : this.take(asking, verdict);
  }

  private take({ policy, binding }: Asking, verdict: Verdict): void {
    if (verdict.conditions !== undefined) {
      const { operation } = this.request;
      const of = { policy: policy.name, type: "validate", operation } as const;
      this.dependencies.policyObserver?.conditionsMet({ ...of, ...verdict.conditions });
    }
    for (const decision of verdict.decisions) this.decide(policy, binding, decision);
    if (this.request.trace !== undefined) this.trace(policy, binding, verdict, this.request.trace);
    for (const note of verdict.notes) this.noted.push({ policy: policy.name, ...note });
    for (const message of verdict.brokenNotes) this.refused.push({ policy, binding, message });
  }

  /** Traces the most severe decision and the resulting action. */
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

  /** Awaits `value`. Applies the failure policy when policy, binding and objects do not fit together. */
  private async configured<Value>(
    policy: KnownPolicy,
    binding: KnownBinding | undefined,
    value: MaybePromise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await value;
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof StatusError)) throw error;
      const of = error instanceof ConfigurationError && error.isOfPolicy ? undefined : binding;
      const what = of === undefined ? "policy" : "binding";
      if (policy.failsClosed)
        this.refused.push({ policy, binding: of, message: `failed to configure ${what}: ${error.message}` });
      return undefined;
    }
  }

  private decide(policy: KnownPolicy, binding: KnownBinding, decision: Decision): void {
    const { validationActions = [] } = binding.spec;
    const { error, seconds } = decision;
    const said = (action: PolicyCheck["action"]) =>
      this.dependencies.policyObserver?.validated({
        policy: policy.name,
        binding: binding.name,
        error,
        seconds,
        action,
      });
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

  /** Records audit data. @throws StatusError of the first refusal */
  end(): void {
    const { request, failures } = this;
    const { validationPolicyAdmissionValidationFailure: key } = this.dependencies.vocabulary.auditAnnotations;
    if (failures.length > 0) request.annotate(key, writeJson(failures));
    for (const [annotation, value] of annotationsOf(this.noted)) request.annotate(annotation, value);
    const [first] = this.refused;
    if (first !== undefined) throw refusal(request, first);
  }
}

/** Reasons that a validation may give; any other becomes Invalid. */
const REASONS: ReadonlySet<string> = new Set(["Forbidden", "Unauthorized", "RequestEntityTooLarge"]);

function refusal(request: AdmissionRequest, { policy, binding, message, reason = "Invalid" }: Bound): StatusError {
  const by = binding === undefined ? "" : ` with binding '${binding.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${message}`;
  const { message: whole, details } = forbidden(request, text, [{ message: text }]);
  return new StatusError((REASONS.has(reason) ? reason : "Invalid") as StatusReason, whole, details);
}
