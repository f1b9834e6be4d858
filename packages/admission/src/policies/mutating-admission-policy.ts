// MutatingAdmissionPolicy plugin: applies the mutations of policies in order; each sees the object as the earlier ones
// left it. Source: KEP-3962, "Mutating Admission Policies".
import type { CelValue } from "@orch/expressions";
import { jsonDifference, type MutableAdmissionRequest, StatusError, sameJson, type TracedStep } from "@orch/machinery";
import { type AdmissionPlugin, definePlugin, type MutationRound } from "../contract/plugin";
import type { PolicyErrorType } from "../contract/policy-observer";
import { forbidden } from "../contract/refusal";
import { Reinvocation } from "../requests/reinvocation";
import type { MatchedVersion } from "../requests/request-bodies";
import type { Candidate, KnownBinding, KnownPolicies, KnownPolicy } from "./known-policies";
import { MutationError, mutatedBy } from "./mutation";
import { ConfigurationError, paramsOf } from "./params";
import type { CompiledPolicy } from "./policy-compilation";
import {
  configurationKinds,
  knownPolicies,
  POLICY_GATE,
  POLICY_READS,
  type PolicyDependencies,
} from "./policy-dependencies";
import { PolicyRequest } from "./policy-request";
import { type Failure, PolicyRun } from "./policy-run";
import { ERROR_TYPES, outcomeOf } from "./policy-verdict";

export const mutatingAdmissionPolicy = definePlugin({
  name: "MutatingAdmissionPolicy",
  reads: POLICY_READS,
  make(dependencies): AdmissionPlugin {
    if (!dependencies.options.isOn(POLICY_GATE)) return { on: [] };
    const policies = new MutatingPolicies(dependencies);
    return {
      on: [{ operations: ["CREATE", "UPDATE", "CONNECT"] }],
      mutate: (request, round) => policies.mutate(request, round),
    };
  },
});

class MutatingPolicies {
  private readonly known: KnownPolicies;
  private readonly isConfiguration;
  /** State for the second round, keyed by request. */
  private readonly reinvocations = new WeakMap<MutableAdmissionRequest, Reinvocation>();

  constructor(private readonly dependencies: PolicyDependencies) {
    this.known = knownPolicies(dependencies, "MutatingAdmissionPolicy");
    this.isConfiguration = configurationKinds(dependencies.vocabulary);
  }

  mutate(request: MutableAdmissionRequest, round: MutationRound): void | Promise<void> {
    if (this.isConfiguration(request) || request.object === undefined) return undefined;
    if (round.number === 1 && !this.reinvocations.has(request)) return undefined;
    const candidates = this.known.candidates(request);
    if (candidates instanceof Promise) return candidates.then((all) => this.changeBy(all, request, round));
    return candidates.length > 0 ? this.changeBy(candidates, request, round) : undefined;
  }

  private async changeBy(
    candidates: readonly Candidate[],
    request: MutableAdmissionRequest,
    round: MutationRound,
  ): Promise<void> {
    const reinvocation = this.reinvocations.get(request) ?? new Reinvocation();
    if (round.number === 1) reinvocation.comeBack(request.object);
    const mutation = new RequestMutation(request, round, reinvocation, this.dependencies);
    for (const candidate of candidates) await mutation.ask(candidate);
    await mutation.end();
    if (round.number === 1) return;
    reinvocation.leave(request.object);
    this.reinvocations.set(request, reinvocation);
  }
}

class RequestMutation {
  private readonly seen: PolicyRequest;
  private isChanged = false;

  constructor(
    private readonly request: MutableAdmissionRequest,
    private readonly round: MutationRound,
    private readonly reinvocation: Reinvocation,
    private readonly dependencies: PolicyDependencies,
  ) {
    this.seen = new PolicyRequest(request, dependencies);
  }

  async ask({ policy, meets, bindings }: Candidate): Promise<void> {
    const { request, dependencies } = this;
    const as = await this.configured(policy, undefined, async () =>
      policy.match.matches(meets, request, dependencies.objects),
    );
    if (as === undefined) return;
    for (const { binding, meets: own } of bindings) {
      const id = `${policy.name}/${binding.name}`;
      if (this.round.number === 1 && !this.reinvocation.isDue({ id })) continue;
      const params = await this.configured(policy, binding, async () => {
        const isBound = await binding.match.matches(own, request, dependencies.objects);
        return isBound === undefined ? [] : paramsOf(policy, binding, request, dependencies);
      });
      if (params === undefined || params.length === 0) continue;
      const compiled = await policy.compiled;
      for (const param of params) {
        const values = async () => this.seen.values(as, param);
        if (await this.applyTraced({ policy, binding, compiled, as, values })) {
          this.isChanged = true;
          this.reinvocation.changedObject();
          this.round.again("Always");
        }
      }
      this.reinvocation.asked({ id, isReinvoked: policy.spec.reinvocationPolicy === "IfNeeded" });
    }
  }

  /**
   * Runs `find`. Applies the failure policy when policy, binding and objects do not fit together. @throws StatusError
   */
  private async configured<Value>(
    policy: KnownPolicy,
    binding: KnownBinding | undefined,
    find: () => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof StatusError)) throw error;
      if (!policy.failsClosed) return undefined;
      const what = binding === undefined ? "policy" : "binding";
      throw this.refusal(policy, binding, `failed to configure ${what}: ${error.message}`);
    }
  }

  /** Applies a policy and traces its changes when the request is traced. */
  private async applyTraced(application: Application): Promise<boolean> {
    const { trace } = this.request;
    if (trace === undefined) return this.apply(application);
    const { policy, binding, as } = application;
    const begunAt = performance.now();
    const before = await this.seen.objectAs(as);
    const tell = (of: Pick<TracedStep, "decision" | "code" | "message" | "patch">) =>
      trace.tell({
        ...{ phase: "admit", round: this.round.number, plugin: "MutatingAdmissionPolicy", ...of },
        ...{ part: `${policy.name}/${binding.name}`, seconds: (performance.now() - begunAt) / 1000 },
      });
    try {
      const isChanged = await this.apply(application);
      const after = await this.seen.objectAs(as);
      const patch = isChanged && before !== undefined && after !== undefined && jsonDifference(before, after);
      tell({ decision: "allowed", ...(patch && { patch }) });
      return isChanged;
    } catch (error) {
      if (error instanceof StatusError) tell({ decision: "failed", code: error.code, message: error.message });
      throw error;
    }
  }

  /** Applies a policy. @returns whether it changed the object. @throws StatusError; ManyValuesError */
  private async apply({ policy, binding, compiled, as, values }: Application): Promise<boolean> {
    const begunAt = performance.now();
    const said = (error: PolicyErrorType, action: "allow" | "deny") =>
      this.dependencies.policyObserver?.mutated({
        ...{ policy: policy.name, binding: binding.name, error, action },
        seconds: (performance.now() - begunAt) / 1000,
      });
    const failed = ({ message, why }: Failure): false => {
      said(ERROR_TYPES[why], policy.failsClosed ? "deny" : "allow");
      if (policy.failsClosed) throw this.refusal(policy, binding, message);
      return false;
    };
    let run = new PolicyRun(compiled, await values());
    const conditions = await run.conditions();
    if (compiled.conditions.length > 0) {
      this.dependencies.policyObserver?.conditionsMet({
        ...{ policy: policy.name, type: "mutate", operation: this.request.operation },
        ...{ outcome: outcomeOf(conditions), seconds: (performance.now() - begunAt) / 1000 },
      });
    }
    if (conditions === false) return false;
    if (conditions !== true) return failed(conditions);
    let isChanged = false;
    for (const mutation of compiled.mutations) {
      const made = await run.ask(mutation);
      if (made.kind === "failure") return failed(made) || isChanged;
      const object = await this.seen.objectAs(as);
      if (object === undefined) return isChanged;
      try {
        const hasElsewhere = this.dependencies.valuesHere !== undefined;
        const changed = mutatedBy(mutation.kind, made.value, object, { version: as.body, hasElsewhere });
        if (sameJson(changed, object)) continue;
        this.seen.change(changed, as);
        isChanged = true;
        run = run.over(await values());
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        return failed({ kind: "failure", why: "invalid", message: error.message }) || isChanged;
      }
    }
    said("no_error", "allow");
    return isChanged;
  }

  private refusal(policy: KnownPolicy, binding: KnownBinding | undefined, message: string): StatusError {
    const by = binding === undefined ? "" : ` with binding '${binding.name}'`;
    const text = `policy '${policy.name}'${by} denied request: ${message}`;
    const { message: whole, details } = forbidden(this.request, text, [{ message: text }]);
    return new StatusError("Invalid", whole, details);
  }

  async end(): Promise<void> {
    if (this.isChanged) this.request.object = await this.seen.inHub();
  }
}

interface Application {
  readonly policy: KnownPolicy;
  readonly binding: KnownBinding;
  readonly compiled: CompiledPolicy;
  readonly as: MatchedVersion;
  /** Returns the values for the object in its current state. */
  readonly values: () => Promise<readonly CelValue[]>;
}
