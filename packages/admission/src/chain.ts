// The chain: every plugin that is on gets its say about every write, first to change the object, later to judge it.
// Source: access-control, "Admission control"; facts, admission/chain.md "Chain algorithm".

import type {
  Admission,
  AdmissionOperation,
  AdmissionOutcome,
  AdmissionRequest,
  MutableAdmissionRequest,
} from "@orch/machinery";
import { messageOf } from "@orch/platform";
import { deletionProtection } from "./guards/deletion-protection";
import { roleEscalation } from "./guards/role-escalation";
import type { AdmissionGuard, PluginConfiguration, PluginFactory } from "./plugin";
import { forbidden, NotReadyError } from "./refusal";
import { type NamedPlugin, RequestedSteps, type Steps } from "./requested-steps";
import { Round } from "./round";
import { tracedStep } from "./traced-step";
import type { AdmissionWorld } from "./world";

export type AdmissionPhase = "admit" | "validate";

/** Hears how long each plugin and each whole pass took, whether or not it refused. For metrics. */
export interface AdmissionObserver {
  plugin(name: string, passed: AdmissionTiming): void;
  pass(passed: AdmissionTiming): void;
  /** A plugin failed when it was told what had become of a request, which is past changing. */
  failed(name: string, error: unknown): void;
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
  /** By the plugin's name. */
  readonly configurations?: ReadonlyMap<string, PluginConfiguration>;
  readonly observer?: AdmissionObserver;
}

/** Of judgements, of which there is one. */
const ONLY_ROUND = new Round(0);

const GUARDS: readonly ((world: AdmissionWorld) => AdmissionGuard)[] = [deletionProtection, roleEscalation];

/**
 * The first plugin that refuses ends the pass and the request.
 * @throws Error that names a plugin which cannot be made
 */
export function createAdmissionChain({ plugins, world, configurations, observer }: AdmissionChainDeps): Admission {
  const made = plugins.map((factory) => makePlugin(factory, world, configurations?.get(factory.name)));
  const steps = new RequestedSteps(
    made,
    GUARDS.map((guard) => guard(world)),
  );

  async function change({ mutators, guards }: Steps, request: MutableAdmissionRequest): Promise<void> {
    const startMs = performance.now();
    let rejected = true;
    try {
      let round: Round | undefined = mutators.length === 0 ? undefined : new Round(0);
      while (round !== undefined) {
        for (const { name, run } of mutators) {
          const late = say(name, run, request, "admit", round);
          if (late !== undefined) await late;
          round.look(request);
        }
        round = round.next(request);
      }
      for (const { name, run } of guards) {
        const { trace } = request;
        const step = { phase: "admit", round: 0, plugin: name } as const;
        const late = trace === undefined ? run(request) : tracedStep(trace, step, request, () => run(request));
        if (late !== undefined) await late;
      }
      rejected = false;
    } finally {
      observer?.pass(timing("admit", request, rejected, startMs));
    }
  }

  async function judge({ validators }: Steps, request: AdmissionRequest): Promise<void> {
    const startMs = performance.now();
    let rejected = true;
    try {
      for (const { name, run } of validators) {
        const late = say(name, run, request, "validate", ONLY_ROUND);
        if (late !== undefined) await late;
      }
      rejected = false;
    } finally {
      observer?.pass(timing("validate", request, rejected, startMs));
    }
  }

  /** Most plugins have nothing to say to most requests, and say so at once. */
  function say<Asked extends AdmissionRequest>(
    name: string,
    run: (request: Asked, round: Round) => void | Promise<void>,
    request: Asked,
    phase: AdmissionPhase,
    round: Round,
  ): void | Promise<void> {
    const { trace } = request;
    if (trace === undefined) return timed(name, run, request, phase, round);
    const step = { phase, round: round.number, plugin: name };
    return tracedStep(trace, step, request, () => timed(name, run, request, phase, round));
  }

  function timed<Asked extends AdmissionRequest>(
    name: string,
    run: (request: Asked, round: Round) => void | Promise<void>,
    request: Asked,
    phase: AdmissionPhase,
    round: Round,
  ): void | Promise<void> {
    const startMs = performance.now();
    let late: void | Promise<void>;
    try {
      late = run(request, round);
    } catch (error) {
      return refused(name, request, phase, startMs, error);
    }
    if (late === undefined) observer?.plugin(name, timing(phase, request, false, startMs));
    else
      return late.then(
        () => observer?.plugin(name, timing(phase, request, false, startMs)),
        (error) => refused(name, request, phase, startMs, error),
      );
  }

  function refused(
    name: string,
    request: AdmissionRequest,
    phase: AdmissionPhase,
    startMs: number,
    error: unknown,
  ): never {
    observer?.plugin(name, timing(phase, request, true, startMs));
    throw error instanceof NotReadyError ? forbidden(request, error.message) : error;
  }

  function settled(request: AdmissionRequest, outcome: AdmissionOutcome): void {
    for (const { name, run } of steps.of(request).settlers) {
      try {
        run(request, outcome);
      } catch (error) {
        observer?.failed(name, error);
      }
    }
  }

  /** A pass in which nobody is asked is one all the same, for those who count. */
  function passBy({ operation }: AdmissionRequest, phase: AdmissionPhase): void {
    observer?.pass({ phase, operation, rejected: false, seconds: 0 });
  }

  const keepsAccounts = made.some((plugin) => plugin.settled !== undefined);
  return {
    mutate(request) {
      const asked = steps.of(request);
      return asked.mutators.length + asked.guards.length > 0 ? change(asked, request) : passBy(request, "admit");
    },
    validate(request) {
      const asked = steps.of(request);
      return asked.validators.length > 0 ? judge(asked, request) : passBy(request, "validate");
    },
    ...(keepsAccounts && { settled }),
  };
}

function makePlugin(
  factory: PluginFactory,
  world: AdmissionWorld,
  configuration: PluginConfiguration | undefined,
): NamedPlugin {
  try {
    return { name: factory.name, ...factory.make(world, configuration?.value) };
  } catch (error) {
    const what = messageOf(error);
    const why = configuration === undefined ? what : `${configuration.from}: ${what}`;
    throw new Error(`couldn't init admission plugin ${JSON.stringify(factory.name)}: ${why}`, { cause: error });
  }
}

function timing(
  phase: AdmissionPhase,
  { operation }: AdmissionRequest,
  rejected: boolean,
  startMs: number,
): AdmissionTiming {
  return { phase, operation, rejected, seconds: (performance.now() - startMs) / 1000 };
}
