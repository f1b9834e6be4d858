// What a deletion does to an object as it is now: nothing more, mark it as ending, or remove it.
// Source: resource-api, "Object deletion"; facts, http.md "Delete", strategy.json "gracefulRules".
import { type JsonObject, nextInteger } from "@orch/schema";
import { metaOf, type ObjectMeta } from "../objects/object-meta";
import type { DeleteOptions } from "../requests/delete-options";
import { timestamp } from "../values/timestamp";
import type { DeletionRules } from "./deletion-rules";
import { finalizersOfDeletion } from "./dependents-finalizers";

export type DeletionStep =
  /** Its deletion is under way, and this request adds nothing to it. */
  | { readonly kind: "keep" }
  | { readonly kind: "mark"; readonly object: JsonObject }
  /** @param last what to show as the last state */
  | { readonly kind: "remove"; readonly last: JsonObject };

export interface AskedDeletion extends Pick<DeleteOptions, "gracePeriodSeconds" | "propagation"> {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** See `ServedVersion.orphansDependents`. */
  readonly orphansByDefault: boolean;
}

/** @param given not changed; what comes out shares with it what stays the same */
export function deletionStep(given: JsonObject, rules: DeletionRules, asked: AskedDeletion): DeletionStep {
  const { prepared } = rules;
  const object = prepared === undefined || metaOf(given).deletionTimestamp ? given : prepared(given, asked.nowMs);
  const meta = metaOf(object);
  const { termination } = rules;
  if (termination !== undefined && !(meta.deletionTimestamp && termination.isOver(object))) {
    return meta.deletionTimestamp ? KEEP : begin(object, termination.begun, finalizersAfter(meta, rules, asked), asked);
  }
  const grace = graceOf(object, rules, asked);
  if (grace === "pending") return KEEP;
  const finalizers = finalizersAfter(meta, rules, asked);
  if (grace !== "none") {
    const marked = withMeta(object, { ...grace, ...finalizersField(meta, finalizers), ...nextGeneration(meta) });
    const stays = finalizers.length > 0 || grace.deletionGracePeriodSeconds > 0;
    return stays ? { kind: "mark", object: marked } : { kind: "remove", last: marked };
  }
  return finalizers.length === 0 ? { kind: "remove", last: object } : held(object, finalizers, asked);
}

/**
 * Whether an update lets go of an object that only waited for it: then it is removed, not written.
 * @param next what the update would write
 */
export function isReleased(next: JsonObject, old: JsonObject, rules: DeletionRules): boolean {
  if (!metaOf(old).deletionTimestamp) return false;
  const { finalizers = [], deletionGracePeriodSeconds } = metaOf(next);
  return finalizers.length === 0 && !deletionGracePeriodSeconds && (rules.termination?.isOver(next) ?? true);
}

const KEEP: DeletionStep = { kind: "keep" };

/** Whoever works on the end releases the object; only its finalizers, and no time of grace, are for the metadata to say. */
function begin(
  object: JsonObject,
  begun: (object: JsonObject) => JsonObject,
  finalizers: readonly string[],
  { nowMs }: AskedDeletion,
): DeletionStep {
  const fields = finalizersField(metaOf(object), finalizers);
  return { kind: "mark", object: begun(withMeta(object, { deletionTimestamp: timestamp(nowMs), ...fields })) };
}

/** Finalizers hold the object. Once it is marked, only a change of them is worth a write. */
function held(object: JsonObject, finalizers: readonly string[], { nowMs }: AskedDeletion): DeletionStep {
  const meta = metaOf(object);
  const { deletionTimestamp, deletionGracePeriodSeconds } = meta;
  const begun = deletionTimestamp ? Date.parse(deletionTimestamp) <= nowMs : false;
  if (begun && deletionGracePeriodSeconds === 0 && sameMembers(finalizers, meta.finalizers)) return KEEP;
  return {
    kind: "mark",
    object: withMeta(object, {
      ...(begun ? {} : { deletionTimestamp: timestamp(nowMs) }),
      deletionGracePeriodSeconds: 0,
      ...finalizersField(meta, finalizers),
      ...nextGeneration(meta),
    }),
  };
}

/** The time by which the object is to have stopped, and how long that was from the beginning. */
interface Grace {
  readonly deletionTimestamp: string;
  readonly deletionGracePeriodSeconds: number;
}

/**
 * `pending`: the object has been given its time, and the request does not shorten it. `none`: the kind gives no time, or it has been
 * given: what is left of the deletion is to be done now.
 */
function graceOf(object: JsonObject, rules: DeletionRules, asked: AskedDeletion): Grace | "pending" | "none" {
  const { deletionTimestamp, deletionGracePeriodSeconds: given } = metaOf(object);
  const { graceSeconds } = rules;
  if (graceSeconds === undefined) return "none";
  if (!deletionTimestamp) return graceUntil(asked.nowMs, sane(graceSeconds(object, asked.gracePeriodSeconds)));
  if (!given) return "none";
  const { gracePeriodSeconds: seconds = given } = asked;
  if (sane(seconds) >= given) return "pending";
  return graceUntil(Date.parse(deletionTimestamp) - given * 1000, sane(seconds));
}

/** Less than no time is a mistake; it is not to be read as "at once". Nobody waits longer than dates go. */
const sane = (seconds: number | bigint): number => (seconds < 0 ? 1 : Math.min(Number(seconds), GRACE_MAX_SECONDS));

const GRACE_MAX_SECONDS = 2 ** 31 - 1;

const graceUntil = (beginMs: number, seconds: number): Grace => ({
  deletionTimestamp: timestamp(beginMs + seconds * 1000),
  deletionGracePeriodSeconds: seconds,
});

function finalizersAfter(
  { finalizers = [] }: ObjectMeta,
  rules: DeletionRules,
  { propagation, orphansByDefault }: AskedDeletion,
): readonly string[] {
  return rules.ignoresDependents ? finalizers : finalizersOfDeletion(finalizers, propagation, orphansByDefault);
}

/** Nothing where the object's own will do; an empty list is left out, as it is on the wire. */
function finalizersField({ finalizers }: ObjectMeta, next: readonly string[]): JsonObject {
  return sameMembers(next, finalizers) ? {} : { finalizers: [...next] };
}

function sameMembers(some: readonly string[], others: readonly string[] = []): boolean {
  if (some.length !== others.length) return false;
  const known = new Set(others);
  return some.every((each) => known.has(each));
}

/** The beginning of the end is a change to act on; what follows is not. */
function nextGeneration({ deletionTimestamp, generation = 0 }: ObjectMeta): JsonObject {
  return !deletionTimestamp && generation > 0 ? { generation: nextInteger(generation) } : {};
}

function withMeta(object: JsonObject, fields: Readonly<JsonObject>): JsonObject {
  const { finalizers, ...others } = { ...(object["metadata"] as JsonObject), ...fields };
  const empty = Array.isArray(finalizers) && finalizers.length === 0;
  return { ...object, metadata: { ...others, ...(finalizers === undefined || empty ? {} : { finalizers }) } };
}
