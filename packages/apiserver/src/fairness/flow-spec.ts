// What flow schemas and priority levels say, as the objects say it: read from them once, with what they leave out filled in.
import type { flowcontrolV1 } from "@orch/schema";

export type Distinguisher = "ByUser" | "ByNamespace";

export interface FlowSpec {
  readonly name: string;
  readonly uid: string;
  /** Low goes first; of equals the name that comes first. */
  readonly precedence: number;
  /** Name of the priority level. */
  readonly level: string;
  /** What tells its flows from one another; undefined: they are one. */
  readonly distinguisher: Distinguisher | undefined;
  readonly rules: readonly flowcontrolV1.PolicyRulesWithSubjects[];
}

export interface QueuingSpec {
  readonly queues: number;
  /** How many queues the requests of one flow may wait in. */
  readonly handSize: number;
  /** Of one queue, in requests. */
  readonly lengthMax: number;
}

export interface LevelSpec {
  readonly name: string;
  readonly uid: string;
  /** Undefined: nothing limits it. */
  readonly limited: LimitedSpec | undefined;
}

export interface LimitedSpec {
  readonly shares: number;
  /** Of its seats, what others may have while it does not need them. */
  readonly lendablePercent: number;
  /** Of its seats, what it may have of others' beside; undefined: as many as there are. */
  readonly borrowingLimitPercent: number | undefined;
  /** Undefined: what finds no seat is refused. */
  readonly queuing: QueuingSpec | undefined;
}

/** @param object in the hub's shape */
export function flowSpecOf({ metadata, spec }: flowcontrolV1.FlowSchema): FlowSpec {
  const { type } = spec?.distinguisherMethod ?? {};
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    precedence: spec?.matchingPrecedence ?? PRECEDENCE,
    level: spec?.priorityLevelConfiguration?.name ?? "",
    distinguisher: type === "ByUser" || type === "ByNamespace" ? type : undefined,
    rules: spec?.rules ?? [],
  };
}

/** @param object in the hub's shape */
export function levelSpecOf({ metadata, spec }: flowcontrolV1.PriorityLevelConfiguration): LevelSpec {
  const { limited } = spec ?? {};
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    limited: spec?.type === "Exempt" ? undefined : limitedSpecOf(limited ?? {}),
  };
}

function limitedSpecOf(limited: Partial<flowcontrolV1.LimitedPriorityLevelConfiguration>): LimitedSpec {
  const { type, queuing } = limited.limitResponse ?? {};
  return {
    shares: limited.nominalConcurrencyShares ?? SHARES,
    lendablePercent: limited.lendablePercent ?? 0,
    borrowingLimitPercent: limited.borrowingLimitPercent,
    queuing: type === "Queue" ? queuingSpecOf(queuing ?? {}) : undefined,
  };
}

/** Others may have stored what nobody here has validated. */
function queuingSpecOf({
  queues = QUEUES,
  handSize = HAND,
  queueLengthLimit = LENGTH,
}: Partial<flowcontrolV1.QueuingConfiguration>): QueuingSpec {
  const count = Math.max(1, queues);
  return {
    queues: count,
    handSize: Math.min(Math.max(1, handSize), count, HAND_MAX),
    lengthMax: Math.max(1, queueLengthLimit),
  };
}

/** Source: facts, defaults.json "flowcontrol". */
const PRECEDENCE = 1000;
const SHARES = 30;
const QUEUES = 64;
const HAND = 8;
const LENGTH = 50;
/** More than the bound of entropy lets anybody ask for. */
const HAND_MAX = 60;
