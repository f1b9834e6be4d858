// Decisions of coordinated leader election, without side effects. Source:
// pkg/controlplane/controller/leaderelection/election.go and leaderelection_controller.go; Kubernetes KEP-4355.
import { compareSemanticVersions, metaOf, parseSemanticVersion, type SemanticVersion } from "@orch/machinery";
import { type coordinationV1, type coordinationV1beta1, isObject, type JsonObject, microTimeText } from "@orch/schema";

export type LeaseSpec = NonNullable<coordinationV1.Lease["spec"]>;

export interface Candidate {
  readonly name: string;
  readonly createdMs: number;
  /** Name of the lease that the candidate wants. */
  readonly leaseName: string;
  /** Time at which the candidate was last asked whether it is alive. */
  readonly pingMs: number | undefined;
  /** Time of its last answer. */
  readonly renewMs: number | undefined;
  readonly binary: SemanticVersion | undefined;
  readonly emulation: SemanticVersion | undefined;
  readonly strategy: string;
}

export type ElectionStep =
  /** The holder is the best candidate, or another program decides. */
  | { readonly kind: "none" }
  /** Candidates must be asked whether they are alive. */
  | { readonly kind: "ping"; readonly names: readonly string[] }
  /** Candidates that were asked have time left to answer. */
  | { readonly kind: "wait" }
  /** @param holder undefined when the strategy is another program's */
  | { readonly kind: "elect"; readonly strategy: string; readonly holder: string | undefined }
  | { readonly kind: "problem"; readonly text: string };

const ANSWER_MS = 5_000;
/** Lifetime of a candidate that does not renew. */
const CANDIDATE_MS = 30 * 60_000;
/** Time after which a candidate is asked although nothing has changed. */
const CHECKED_MS = CANDIDATE_MS / 2;
/** Duration of a lease that the server gives; the leader writes its own. */
const LEASE_SECONDS = 5;
const OLDEST_EMULATION_VERSION = "OldestEmulationVersion";

/** @param object LeaseCandidate of any version */
export function candidateOf(object: JsonObject): Candidate {
  const { name = "", creationTimestamp } = metaOf(object);
  const spec = (isObject(object["spec"]) ? object["spec"] : {}) as Partial<coordinationV1beta1.LeaseCandidateSpec>;
  return {
    name,
    createdMs: msOf(creationTimestamp) ?? 0,
    leaseName: spec.leaseName ?? "",
    pingMs: msOf(spec.pingTime),
    renewMs: msOf(spec.renewTime),
    binary: parseSemanticVersion(spec.binaryVersion ?? ""),
    emulation: parseSemanticVersion(spec.emulationVersion ?? ""),
    strategy: spec.strategy ?? "",
  };
}

export const isCandidateExpired = ({ renewMs }: Candidate, nowMs: number): boolean =>
  renewMs === undefined || renewMs + CANDIDATE_MS < nowMs;

/** Whether the candidate was asked and has not answered. */
export const isAsked = ({ pingMs, renewMs }: Candidate): boolean =>
  pingMs !== undefined && (renewMs === undefined || renewMs < pingMs);

/**
 * Returns the next step of an election.
 * @param candidates of the lease, without expired ones; at least one
 * @param lease undefined: it does not exist
 */
export function electionStep(
  candidates: readonly Candidate[],
  lease: LeaseSpec | undefined,
  nowMs: number,
): ElectionStep {
  const needed = isElectionNeeded(candidates, lease, nowMs);
  if (typeof needed !== "boolean") return needed;
  if (!needed) return { kind: "none" };
  const names = candidates.filter((each) => isToBeAsked(each, nowMs)).map(({ name }) => name);
  if (names.length > 0) return { kind: "ping", names };
  if (candidates.some((each) => isAsked(each) && isWithin(each.pingMs, nowMs))) return { kind: "wait" };
  const alive = candidates.filter(({ renewMs }) => isWithin(renewMs, nowMs));
  if (alive.length === 0) return { kind: "problem", text: "no candidate has answered" };
  const strategy = strategyOf(alive);
  if (typeof strategy !== "string") return strategy;
  if (strategy !== OLDEST_EMULATION_VERSION) return { kind: "elect", strategy, holder: undefined };
  const best = bestOf(alive);
  if (best === undefined) return { kind: "problem", text: "no candidate has valid versions" };
  return { kind: "elect", strategy, holder: best.name };
}

/**
 * Returns the lease after an election. A holder that is alive is asked to step down and stays until it has.
 * @param before undefined: there is no lease yet
 */
export function electedLease(
  before: LeaseSpec | undefined,
  { strategy, holder }: Pick<ElectionStep & { kind: "elect" }, "strategy" | "holder">,
  nowMs: number,
): LeaseSpec {
  const now = microTimeText(nowMs);
  if (before === undefined) {
    const holding = holder === undefined ? {} : { holderIdentity: holder };
    return { ...holding, leaseDurationSeconds: LEASE_SECONDS, renewTime: now, strategy };
  }
  const { holderIdentity: present = "" } = before;
  if (holder === undefined || present === holder) return { ...before, strategy };
  if (present !== "" && !isLeaseExpired(before, nowMs)) return { ...before, strategy, preferredHolder: holder };
  const { preferredHolder: _, acquireTime: __, ...kept } = before;
  return { ...kept, strategy, holderIdentity: holder, renewTime: now, leaseDurationSeconds: LEASE_SECONDS };
}

function isElectionNeeded(
  candidates: readonly Candidate[],
  lease: LeaseSpec | undefined,
  nowMs: number,
): boolean | (ElectionStep & { kind: "problem" }) {
  const holder = lease?.holderIdentity ?? "";
  if (lease === undefined || holder === "" || isLeaseExpired(lease, nowMs)) return true;
  if (candidates.some(({ renewMs }) => renewMs !== undefined && renewMs + CHECKED_MS < nowMs)) return true;
  const strategy = strategyOf(candidates);
  if (typeof strategy !== "string") return strategy;
  if (strategy !== OLDEST_EMULATION_VERSION) return false;
  const best = bestOf(candidates);
  return best !== undefined && best.name !== holder;
}

/** A candidate is asked unless it has answered lately, and not again before it has answered. */
function isToBeAsked(candidate: Candidate, nowMs: number): boolean {
  const { pingMs, renewMs } = candidate;
  if (isWithin(renewMs, nowMs)) return false;
  return pingMs === undefined || (!isWithin(pingMs, nowMs) && !isAsked(candidate));
}

/** The candidates of the newest program decide. */
function strategyOf(candidates: readonly Candidate[]): string | (ElectionStep & { kind: "problem" }) {
  const [first, ...others] = candidates as readonly [Candidate, ...Candidate[]];
  let newest = first;
  for (const each of others) {
    const order = compared(newest.binary, each.binary);
    if (order < 0) newest = each;
    else if (order === 0 && each.strategy !== newest.strategy) {
      const text = `candidates ${newest.name} and ${each.name} have the same binary version and the strategies ${newest.strategy} and ${each.strategy}`;
      return { kind: "problem", text };
    }
  }
  return newest.strategy;
}

/** Returns the candidate of the oldest emulated version, then of the oldest program, then the one created first. */
function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  const valid = candidates.filter(({ binary, emulation }) => binary !== undefined && emulation !== undefined);
  const inOrder = (one: Candidate, other: Candidate): number =>
    compared(one.emulation, other.emulation) ||
    compared(one.binary, other.binary) ||
    one.createdMs - other.createdMs ||
    (one.name < other.name ? -1 : 1);
  return valid.sort(inOrder)[0];
}

/** A version that cannot be read counts as the oldest. */
function compared(one: SemanticVersion | undefined, other: SemanticVersion | undefined): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  return compareSemanticVersions(one, other);
}

function isLeaseExpired({ renewTime, leaseDurationSeconds }: LeaseSpec, nowMs: number): boolean {
  const renewMs = msOf(renewTime);
  return renewMs === undefined || leaseDurationSeconds === undefined || renewMs + leaseDurationSeconds * 1000 < nowMs;
}

const isWithin = (timeMs: number | undefined, nowMs: number): boolean =>
  timeMs !== undefined && timeMs + ANSWER_MS > nowMs;

function msOf(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
