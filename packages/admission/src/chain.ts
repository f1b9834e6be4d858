// The chain: every plugin that is on gets its say about every write, first to change the object, later to judge it.
// Source: access-control, "Admission control"; facts, admission/chain.md "Chain algorithm".
import type { Admission, AdmissionOperation, AdmissionRequest } from "@orch/machinery";
import type { AdmissionPlugin, AdmissionStep, AdmissionWorld } from "./plugin";

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
  readonly plugins: readonly AdmissionPlugin[];
  readonly world: AdmissionWorld;
  readonly observer?: AdmissionObserver;
}

/** The first plugin that refuses ends the pass and the request. */
export function createAdmissionChain({ plugins, world, observer }: AdmissionChainDeps): Admission {
  const mutators = byOperation(plugins, "mutate");
  const validators = byOperation(plugins, "validate");

  async function pass(steps: readonly Step[], request: AdmissionRequest, phase: AdmissionPhase): Promise<void> {
    const startMs = performance.now();
    let rejected = true;
    try {
      for (const step of steps) await say(step, request, phase);
      rejected = false;
    } finally {
      observer?.pass(timing(phase, request, rejected, startMs));
    }
  }

  async function say({ name, run }: Step, request: AdmissionRequest, phase: AdmissionPhase): Promise<void> {
    const startMs = performance.now();
    let rejected = true;
    try {
      await run(request, world);
      rejected = false;
    } finally {
      observer?.plugin(name, timing(phase, request, rejected, startMs));
    }
  }

  return {
    mutate: (request) => pass(mutators[request.operation], request, "admit"),
    validate: (request) => pass(validators[request.operation], request, "validate"),
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

interface Step {
  readonly name: string;
  readonly run: AdmissionStep;
}

type StepTable = Readonly<Record<AdmissionOperation, readonly Step[]>>;

function byOperation(plugins: readonly AdmissionPlugin[], phase: "mutate" | "validate"): StepTable {
  const steps = (operation: AdmissionOperation): readonly Step[] =>
    plugins.flatMap((plugin) => {
      const run = plugin[phase];
      return run !== undefined && plugin.operations.includes(operation) ? [{ name: plugin.name, run }] : [];
    });
  return { CREATE: steps("CREATE"), UPDATE: steps("UPDATE"), DELETE: steps("DELETE"), CONNECT: steps("CONNECT") };
}
