// The chain: every plugin that is on gets its say about every write, first to change the object, later to judge it.
// Source: access-control, "Admission control"; facts, admission/chain.md "Chain algorithm".
import type { Admission, AdmissionOperation, AdmissionRequest } from "@orch/machinery";
import { roleEscalation } from "./guards/role-escalation";
import type { AdmissionPlugin, AdmissionStep, PluginFactory } from "./plugin";
import type { AdmissionWorld } from "./world";

export type AdmissionPhase = "admit" | "validate";

/** Hears how long each plugin and each whole pass took, whether or not it refused. For metrics. */
export interface AdmissionObserver {
  plugin(name: string, passed: AdmissionTiming): void;
  pass(passed: AdmissionTiming): void;
}

export interface AdmissionTiming {
  readonly phase: AdmissionPhase;
  readonly operation: AdmissionOperation;
  readonly rejected: boolean;
  readonly seconds: number;
}

export interface AdmissionChainDeps {
  /** In the order in which they run. */
  readonly plugins: readonly PluginFactory[];
  readonly world: AdmissionWorld;
  readonly observer?: AdmissionObserver;
}

/** What no flag switches off: asked when all plugins have made their changes. */
const GUARDS: readonly ((world: AdmissionWorld) => AdmissionStep)[] = [roleEscalation];

const NO_GUARDS: readonly AdmissionStep[] = [];

/** The first plugin that refuses ends the pass and the request. */
export function createAdmissionChain({ plugins, world, observer }: AdmissionChainDeps): Admission {
  const made = plugins.map(({ name, make }): NamedPlugin => ({ name, ...make(world) }));
  const guards = GUARDS.map((guard) => guard(world));
  const mutators = byOperation(made, "mutate");
  const validators = byOperation(made, "validate");

  async function pass(
    steps: readonly Step[],
    lastly: readonly AdmissionStep[],
    request: AdmissionRequest,
    phase: AdmissionPhase,
  ): Promise<void> {
    const startMs = performance.now();
    let rejected = true;
    try {
      for (const step of steps) {
        const late = say(step, request, phase);
        if (late !== undefined) await late;
      }
      for (const guard of lastly) {
        const late = guard(request);
        if (late !== undefined) await late;
      }
      rejected = false;
    } finally {
      observer?.pass(timing(phase, request, rejected, startMs));
    }
  }

  /** Most plugins have nothing to say to most requests, and say so at once. */
  function say({ name, run }: Step, request: AdmissionRequest, phase: AdmissionPhase): void | Promise<void> {
    const startMs = performance.now();
    const said = (rejected: boolean) => observer?.plugin(name, timing(phase, request, rejected, startMs));
    const refused = (error: unknown): never => {
      said(true);
      throw error;
    };
    let late: void | Promise<void>;
    try {
      late = run(request);
    } catch (error) {
      return refused(error);
    }
    if (late !== undefined) return late.then(() => said(false), refused);
    said(false);
  }

  return {
    mutate: (request) => pass(mutators[request.operation], guards, request, "admit"),
    validate: (request) => pass(validators[request.operation], NO_GUARDS, request, "validate"),
  };
}

function timing(
  phase: AdmissionPhase,
  { operation }: AdmissionRequest,
  rejected: boolean,
  startMs: number,
): AdmissionTiming {
  return { phase, operation, rejected, seconds: (performance.now() - startMs) / 1000 };
}

type NamedPlugin = AdmissionPlugin & { readonly name: string };

interface Step {
  readonly name: string;
  readonly run: AdmissionStep;
}

type StepTable = Readonly<Record<AdmissionOperation, readonly Step[]>>;

function byOperation(plugins: readonly NamedPlugin[], phase: "mutate" | "validate"): StepTable {
  const steps = (operation: AdmissionOperation): readonly Step[] =>
    plugins.flatMap((plugin) => {
      const run = plugin[phase];
      return run !== undefined && plugin.operations.includes(operation) ? [{ name: plugin.name, run }] : [];
    });
  return { CREATE: steps("CREATE"), UPDATE: steps("UPDATE"), DELETE: steps("DELETE"), CONNECT: steps("CONNECT") };
}
