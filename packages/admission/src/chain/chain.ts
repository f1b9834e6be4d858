// Admission chain: runs every enabled plugin on each write, first to mutate the object, then to validate it. Source:
// staging/src/k8s.io/apiserver/pkg/admission/chain.go; Kubernetes documentation, "Admission Control in Kubernetes".

import type {
  Admission,
  AdmissionOperation,
  AdmissionOutcome,
  AdmissionRequest,
  MutableAdmissionRequest,
} from "@orch/machinery";
import { messageOf } from "@orch/platform";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionGuard, PluginConfiguration, PluginFactory } from "../contract/plugin";
import { forbidden, NotReadyError } from "../contract/refusal";
import { deletionProtection } from "../guards/deletion-protection";
import { deviceAccess } from "../guards/device-access";
import { manifestNames } from "../guards/manifest-names";
import { namespaceHistory } from "../guards/namespace-history";
import { objectExpiry } from "../guards/object-expiry";
import { podCertificateSigning } from "../guards/pod-certificate-signing";
import { roleEscalation } from "../guards/role-escalation";
import { type NamedPlugin, RequestedSteps, type Steps } from "./requested-steps";
import { Round } from "./round";
import { spannedStep } from "./spanned-step";
import { tracedStep } from "./traced-step";

type AdmissionPhase = "admit" | "validate";

/**
 * Receives the duration of each plugin and of each whole pass, whether or not the request was refused. Used for
 * metrics.
 */
export interface AdmissionObserver {
  plugin(name: string, passed: AdmissionTiming): void;
  pass(passed: AdmissionTiming): void;
  /** Called when a plugin's `settled` step throws. The outcome of the request is final at that point. */
  failed(name: string, error: unknown): void;
}

export interface AdmissionTiming {
  readonly phase: AdmissionPhase;
  readonly operation: AdmissionOperation;
  readonly rejected: boolean;
  readonly seconds: number;
}

export interface AdmissionChainDeps {
  /** Plugins in the order in which they run. */
  readonly plugins: readonly PluginFactory[];
  readonly dependencies: AdmissionDependencies;
  /** Configurations keyed by plugin name. */
  readonly configurations?: ReadonlyMap<string, PluginConfiguration>;
  readonly observer?: AdmissionObserver;
}

/** Plugin steps shorter than this do not yield the event loop. Nearly every step takes a small fraction of it. */
const SHORT_SECONDS = 0.001;

/** Round passed to validating steps, which run once. */
const ONLY_ROUND = new Round(0);

const GUARDS: readonly ((dependencies: AdmissionDependencies) => AdmissionGuard)[] = [
  deletionProtection,
  deviceAccess,
  manifestNames,
  namespaceHistory,
  objectExpiry,
  podCertificateSigning,
  roleEscalation,
];

/**
 * Creates the chain. The first plugin that refuses ends the pass and the request.
 * @throws Error that names a plugin which cannot be created
 */
export function createAdmissionChain({
  plugins,
  dependencies,
  configurations,
  observer,
}: AdmissionChainDeps): Admission {
  const made = plugins.map((factory) => makePlugin(factory, dependencies, configurations?.get(factory.name)));
  const steps = new RequestedSteps(
    made,
    GUARDS.map((guard) => guard(dependencies)),
  );

  /** Runs a pass and reports its duration. Stays synchronous when every step is synchronous. */
  function passed(
    phase: AdmissionPhase,
    request: AdmissionRequest,
    ask: () => void | Promise<void>,
  ): void | Promise<void> {
    const startMs = performance.now();
    const over = (rejected: boolean) => observer?.pass(timing(phase, request, rejected, startMs));
    const rejected = (error: unknown): Promise<never> => {
      over(true);
      return Promise.reject(error);
    };
    let late: void | Promise<void>;
    try {
      late = ask();
    } catch (error) {
      return rejected(error);
    }
    if (late !== undefined) return late.then(() => over(false), rejected);
    over(false);
  }

  const change = ({ mutators, guards }: Steps, request: MutableAdmissionRequest): void | Promise<void> =>
    passed("admit", request, () => {
      const guarded = (): void | Promise<void> => eachOf(guards, (guard) => checked(guard, request));
      const late = mutators.length === 0 ? undefined : changeIn(new Round(0), mutators, request);
      return late === undefined ? guarded() : late.then(guarded);
    });

  function changeIn(round: Round, mutators: Steps["mutators"], request: MutableAdmissionRequest): void | Promise<void> {
    const look = (): void => round.look(request);
    const again = (): void | Promise<void> => {
      const next = round.next(request);
      return next && changeIn(next, mutators, request);
    };
    const late = eachOf(mutators, ({ name, run }) => {
      const said = say(name, run, request, "admit", round);
      return said === undefined ? look() : said.then(look);
    });
    return late === undefined ? again() : late.then(again);
  }

  function checked({ name, run }: Steps["guards"][number], request: MutableAdmissionRequest): void | Promise<void> {
    const { trace } = request;
    const step = { phase: "admit", round: 0, plugin: name } as const;
    return trace === undefined ? run(request) : tracedStep(trace, step, request, () => run(request));
  }

  const judge = ({ validators }: Steps, request: AdmissionRequest): void | Promise<void> =>
    passed("validate", request, () =>
      eachOf(validators, ({ name, run }) => say(name, run, request, "validate", ONLY_ROUND)),
    );

  /**
   * Runs one step of a plugin and traces it when the request is traced. Stays synchronous when the step is, which is
   * the common case.
   */
  function say<Asked extends AdmissionRequest>(
    name: string,
    run: (request: Asked, round: Round) => void | Promise<void>,
    request: Asked,
    phase: AdmissionPhase,
    round: Round,
  ): void | Promise<void> {
    const { trace, span } = request;
    if (trace === undefined && span?.isRecorded !== true) return timed(name, run, request, phase, round);
    const step = { phase, round: round.number, plugin: name };
    const once = () => timed(name, run, request, phase, round);
    const explained = trace === undefined ? once : () => tracedStep(trace, step, request, once);
    return span?.isRecorded === true ? spannedStep(span, step, request, explained) : explained();
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
    if (late === undefined) return agreed(name, request, phase, startMs);
    return late.then(
      () => agreed(name, request, phase, startMs),
      (error) => refused(name, request, phase, startMs, error),
    );
  }

  /**
   * Reports an allowed step. Yields the event loop between slow steps, such as several plugins in turn on an object
   * with thousands of values.
   */
  function agreed(
    name: string,
    request: AdmissionRequest,
    phase: AdmissionPhase,
    startMs: number,
  ): void | Promise<void> {
    const taken = timing(phase, request, false, startMs);
    observer?.plugin(name, taken);
    if (taken.seconds > SHORT_SECONDS && dependencies.yielder.isOver) return dependencies.yielder.next();
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

  /** Reports a pass without steps, so that metrics count it. */
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

/** Runs `act` on the items in order; each starts when the one before it has ended. Synchronous as long as `act` is. */
function eachOf<Item>(
  items: readonly Item[],
  act: (item: Item) => void | Promise<void>,
  first = 0,
): void | Promise<void> {
  for (let at = first; at < items.length; at += 1) {
    const late = act(items[at] as Item);
    if (late !== undefined) return late.then(() => eachOf(items, act, at + 1));
  }
}

function makePlugin(
  factory: PluginFactory,
  dependencies: AdmissionDependencies,
  configuration: PluginConfiguration | undefined,
): NamedPlugin {
  try {
    return { name: factory.name, ...factory.make(dependencies, configuration?.value) };
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
