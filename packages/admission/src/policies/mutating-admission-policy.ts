// MutatingAdmissionPolicy plugin: applies the mutations of policies in order; each sees the object as the earlier ones
// left it. Source: KEP-3962, "Mutating Admission Policies".
import type { CelValue } from "@orch/expressions";
import {
  jsonDifference,
  type MutableAdmissionRequest,
  metaOf,
  StatusError,
  sameJson,
  type TracedStep,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type AdmissionPlugin, definePlugin, type MutationRound } from "../contract/plugin";
import type { PolicyErrorType } from "../contract/policy-observer";
import { forbidden } from "../contract/refusal";
import { Reinvocation } from "../requests/reinvocation";
import type { MatchedVersion } from "../requests/request-bodies";
import type { Candidate, KnownBinding, KnownPolicy } from "./known-policies";
import { MutationError, mutatedBy } from "./mutation";
import { ConfigurationError, paramsOf } from "./params";
import type { CompiledPolicy } from "./policy-compilation";
import {
  POLICY_GATE,
  POLICY_READS,
  type PolicyDependencies,
  type PolicySources,
  policySources,
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
  private readonly policies: PolicySources;
  /** State for the second round, keyed by request. */
  private readonly reinvocations = new WeakMap<MutableAdmissionRequest, Reinvocation>();

  constructor(private readonly dependencies: PolicyDependencies) {
    this.policies = policySources(dependencies, "MutatingAdmissionPolicy");
  }

  mutate(request: MutableAdmissionRequest, round: MutationRound): void | Promise<void> {
    const known = request.object === undefined ? undefined : this.policies.for(request);
    if (known === undefined) return undefined;
    if (round.number === 1 && !this.reinvocations.has(request)) return undefined;
    const candidates = known.candidates(request);
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
    const invocations: Invocation[] = [];
    for (const candidate of candidates) invocations.push(...(await mutation.invocationsOf(candidate)));
    for (const invocation of invocations) await mutation.invoke(invocation);
    await mutation.end();
    if (round.number === 1) return;
    reinvocation.leave(request.object);
    this.reinvocations.set(request, reinvocation);
  }
}

/** A policy that is applied for one of its bindings, with each parameter. */
interface Invocation {
  readonly policy: KnownPolicy;
  readonly binding: KnownBinding;
  readonly as: MatchedVersion;
  readonly params: readonly (JsonObject | undefined)[];
}

interface Refusal {
  readonly reason: "Forbidden" | "Invalid";
  readonly message: string;
}

/**
 * One round of a request. All policies are matched with the object as it comes in, and then applied in order. Failures
 * do not end the round: the answer names all of them. Source:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go.
 */
class RequestMutation {
  private readonly seen: PolicyRequest;
  private readonly refusals: Refusal[] = [];
  private isChanged = false;

  constructor(
    private readonly request: MutableAdmissionRequest,
    private readonly round: MutationRound,
    private readonly reinvocation: Reinvocation,
    private readonly dependencies: PolicyDependencies,
  ) {
    this.seen = new PolicyRequest(request, dependencies);
  }

  /** Returns the bindings of a candidate that match, with their parameters. */
  async invocationsOf({ policy, meets, bindings }: Candidate): Promise<readonly Invocation[]> {
    const { request, dependencies } = this;
    const as = await this.configured(policy, undefined, async () =>
      policy.match.matches(meets, request, dependencies.objects),
    );
    if (as === undefined) return [];
    const found: Invocation[] = [];
    for (const { binding, meets: own } of bindings) {
      const params = await this.configured(policy, binding, async () => {
        const isBound = await binding.match.matches(own, request, dependencies.objects);
        return isBound === undefined ? [] : paramsOf(policy, binding, request, dependencies);
      });
      if (params !== undefined && params.length > 0) found.push({ policy, binding, as, params });
    }
    return found;
  }

  async invoke({ policy, binding, as, params }: Invocation): Promise<void> {
    const compiled = await policy.compiled;
    for (const param of params) {
      const { namespace = "", name = "" } = param === undefined ? {} : metaOf(param);
      const id = `${policy.name}/${binding.name}/${namespace}/${name}`;
      if (this.round.number === 1 && !this.reinvocation.isDue({ id })) continue;
      const values = async () => this.seen.values(as, param);
      const { isChanged, isSkipped } = await this.applyTraced({ policy, binding, compiled, as, values });
      if (isChanged) {
        this.isChanged = true;
        this.reinvocation.changedObject();
        this.round.again("Always");
      }
      if (!isSkipped) this.reinvocation.asked({ id, isReinvoked: policy.spec.reinvocationPolicy === "IfNeeded" });
    }
  }

  /** Runs `find`. Applies the failure policy when policy, binding and objects do not fit together. */
  private async configured<Value>(
    policy: KnownPolicy,
    binding: KnownBinding | undefined,
    find: () => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof StatusError)) throw error;
      const of = error instanceof ConfigurationError && error.isOfPolicy ? undefined : binding;
      const what = of === undefined ? "policy" : "binding";
      this.refuse("Forbidden", `failed to configure ${what}: ${error.message}`, { policy, binding: of });
      return undefined;
    }
  }

  /** Applies a policy and traces its changes when the request is traced. */
  private async applyTraced(application: Application): Promise<Applied> {
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
      const applied = await this.apply(application);
      const after = await this.seen.objectAs(as);
      const patch = applied.isChanged && before !== undefined && after !== undefined && jsonDifference(before, after);
      if (applied.refusal === undefined) tell({ decision: "allowed", ...(patch && { patch }) });
      else tell({ decision: "failed", code: REFUSED, message: applied.refusal });
      return applied;
    } catch (error) {
      if (error instanceof StatusError) tell({ decision: "failed", code: error.code, message: error.message });
      throw error;
    }
  }

  /** Applies a policy; each mutation sees the result of the previous one. @throws StatusError; ManyValuesError */
  private async apply({ policy, binding, compiled, as, values }: Application): Promise<Applied> {
    const begunAt = performance.now();
    let refusal: string | undefined;
    const said = (error: PolicyErrorType, action: "allow" | "deny") =>
      this.dependencies.policyObserver?.mutated({
        ...{ policy: policy.name, binding: binding.name, error, action },
        seconds: (performance.now() - begunAt) / 1000,
      });
    const failed = ({ message, why }: Failure): void => {
      said(ERROR_TYPES[why], policy.failsClosed ? "deny" : "allow");
      const text = this.refuse("Invalid", message, { policy, binding });
      refusal ??= text;
    };
    let run = new PolicyRun(compiled, await values());
    const conditions = await run.conditions();
    if (compiled.conditions.length > 0) {
      this.dependencies.policyObserver?.conditionsMet({
        ...{ policy: policy.name, type: "mutate", operation: this.request.operation },
        ...{ outcome: outcomeOf(conditions), seconds: (performance.now() - begunAt) / 1000 },
      });
    }
    if (typeof conditions !== "boolean") failed(conditions);
    if (conditions !== true) return { isChanged: false, isSkipped: true, refusal };
    let isChanged = false;
    let hasFailed = false;
    for (const mutation of compiled.mutations) {
      try {
        const made = await run.ask(mutation);
        if (made.kind === "failure") {
          hasFailed = true;
          failed(made);
          continue;
        }
        const object = await this.seen.objectAs(as);
        if (object === undefined) break;
        const changed = mutatedBy(mutation.kind, made.value, object, {
          version: as.body,
          isCustom: this.request.definition.isCustom === true,
          hasElsewhere: this.dependencies.valuesHere !== undefined,
        });
        if (changed === object || sameJson(changed, object)) continue;
        this.seen.change(changed, as);
        isChanged = true;
        run = run.over(await values());
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        hasFailed = true;
        failed({ kind: "failure", why: "invalid", message: error.message });
      }
    }
    if (!hasFailed) said("no_error", "allow");
    return { isChanged, isSkipped: false, refusal };
  }

  /** Records a failure if the failure policy says so. @returns the text of the refusal */
  private refuse(
    reason: Refusal["reason"],
    message: string,
    { policy, binding }: { readonly policy: KnownPolicy; readonly binding: KnownBinding | undefined },
  ): string | undefined {
    if (!policy.failsClosed) return undefined;
    const by = binding === undefined ? JSON.stringify(policy.name) : `'${policy.name}' with binding '${binding.name}'`;
    const text = `policy ${by} denied request: ${message}`;
    this.refusals.push({ reason, message: text });
    return text;
  }

  /** Hands the object on. @throws StatusError (403) with the first refusal's reason and the messages of all */
  async end(): Promise<void> {
    const [first] = this.refusals;
    if (first !== undefined) {
      const causes = this.refusals.map(({ message }) => ({ message }));
      const { details } = forbidden(this.request, "", causes);
      throw new StatusError(first.reason, first.message, details, { code: REFUSED });
    }
    if (this.isChanged) this.request.object = await this.seen.inHub();
  }
}

/** HTTP status of every refusal, whatever its reason. */
const REFUSED = 403;

interface Application {
  readonly policy: KnownPolicy;
  readonly binding: KnownBinding;
  readonly compiled: CompiledPolicy;
  readonly as: MatchedVersion;
  /** Returns the values for the object in its current state. */
  readonly values: () => Promise<readonly CelValue[]>;
}

interface Applied {
  readonly isChanged: boolean;
  /** Whether the match conditions excluded the request. */
  readonly isSkipped: boolean;
  /** Text of the first failure that refuses the request. */
  readonly refusal: string | undefined;
}
