// Flow schemas and priority levels, read from their objects once, with defaults filled in.
import type { flowcontrolV1 } from "@orch/schema";

export type Distinguisher = "ByUser" | "ByNamespace";

export interface FlowSpec {
  readonly name: string;
  readonly uid: string;
  /** The lowest precedence matches first; then the first name. */
  readonly precedence: number;
  /** Name of the priority level. */
  readonly level: string;
  /** Distinguisher method; undefined: all requests belong to one flow. */
  readonly distinguisher: Distinguisher | undefined;
  readonly rules: readonly flowcontrolV1.PolicyRulesWithSubjects[];
}

export interface QueuingSpec {
  readonly queues: number;
  /** Number of queues among which the requests of one flow are placed. */
  readonly handSize: number;
  /** Maximum number of requests in one queue. */
  readonly lengthMax: number;
}

export interface LevelSpec {
  readonly name: string;
  readonly uid: string;
  /** Undefined: exempt. */
  readonly limited: LimitedSpec | undefined;
  /** Seats that are set aside for an exempt level; undefined: the level is limited. */
  readonly exempt?: SeatShare | undefined;
}

export interface SeatShare {
  readonly shares: number;
  /** Percentage of its seats that other levels may borrow. */
  readonly lendablePercent: number;
}

export interface LimitedSpec extends SeatShare {
  /** Percentage of its seats that it may borrow in addition; undefined: no limit. */
  readonly borrowingLimitPercent: number | undefined;
  /** Undefined: requests without a seat are refused. */
  readonly queuing: QueuingSpec | undefined;
}

/** @param object in the hub version */
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

/** @param object in the hub version */
export function levelSpecOf({ metadata, spec }: flowcontrolV1.PriorityLevelConfiguration): LevelSpec {
  const { limited, exempt } = spec ?? {};
  const isExempt = spec?.type === "Exempt";
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    limited: isExempt ? undefined : limitedSpecOf(limited ?? {}),
    exempt: isExempt
      ? { shares: exempt?.nominalConcurrencyShares ?? 0, lendablePercent: exempt?.lendablePercent ?? 0 }
      : undefined,
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

/** Stored objects may be invalid: another server may have written them. */
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

/** Defaults. Source: pkg/apis/flowcontrol/v1beta1/defaults.go. */
const PRECEDENCE = 1000;
const SHARES = 30;
const QUEUES = 64;
const HAND = 8;
const LENGTH = 50;
/** Larger than the entropy limit of validation allows. */
const HAND_MAX = 60;
