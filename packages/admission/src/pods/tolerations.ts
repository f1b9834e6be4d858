// Tolerations of pods: comparison and merging of lists. Clients choose the length of the lists, so nothing here
// compares each with each. Source: pkg/util/tolerations/tolerations.go.
import { isInt64, isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { objectsIn } from "./pod-parts";

/** Toleration. An absent field means the same as an empty one. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number | bigint | null;
}

export const tolerationsOf = (spec: JsonObject): readonly Toleration[] => objectsIn(spec, "tolerations");

export function setTolerations(spec: JsonObject, tolerations: readonly Toleration[]): void {
  spec["tolerations"] = tolerations as unknown as JsonObject[];
}

export function addTolerations(spec: JsonObject, more: readonly Toleration[]): void {
  if (more.length > 0) setTolerations(spec, [...tolerationsOf(spec), ...more]);
}

/** Concatenates two lists without tolerations that another one covers. Of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second].map(compared);
  const later = new CoveringTolerations();
  const isCoveredLater = new Array<boolean>(all.length);
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const each = all[at] as Compared;
    isCoveredLater[at] = later.coverByAnother(each);
    later.add(each);
  }
  const kept = new CoveringTolerations();
  return all
    .filter((each, at) => {
      if (isCoveredLater[at] || kept.cover(each)) return false;
      kept.add(each);
      return true;
    })
    .map(({ toleration }) => toleration);
}

/**
 * Replaces tolerations that have the key, operator, value and effect of a wanted one; appends wanted ones without a
 * match.
 */
export function putTolerations(spec: JsonObject, wanted: readonly Toleration[]): void {
  if (wanted.length === 0) return;
  const missing = new Map(wanted.map((each) => [nameOf(each), each]));
  const byName = new Map(missing);
  const known = tolerationsOf(spec).map((each) => {
    const name = nameOf(each);
    missing.delete(name);
    return byName.get(name) ?? each;
  });
  setTolerations(spec, [...known, ...missing.values()]);
}

/** A toleration with its precomputed comparison keys. */
interface Compared {
  readonly toleration: Toleration;
  /** Identity: equal tolerations have the same. */
  readonly exactly: string;
  /** Class of tolerations that this one may cover; undefined for an operator that covers nothing. */
  readonly slot: string | undefined;
  readonly forSeconds: number | bigint;
  /** Slots of tolerations that may cover this one, and the seconds that they must grant. */
  readonly wider: readonly { readonly slot: string; readonly needed: number | bigint }[];
}

function compared(toleration: Toleration): Compared {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const exactly = `${tolerationSeconds ?? ""} ${nameOf(toleration)}`;
  const wider = (effect === "" ? [""] : [effect, ""]).flatMap((each) => {
    const needed = each === "NoExecute" ? (tolerationSeconds ?? Number.POSITIVE_INFINITY) : 0;
    const slots = [anyValue(key, each), anyValue("", each)];
    if (operator === "Equal") slots.push(oneValue(key, each, value));
    return slots.map((slot) => ({ slot, needed }));
  });
  return { toleration, exactly, slot: slotOf(toleration), forSeconds: secondsGranted(toleration), wider };
}

/** Index of tolerations by what they cover. */
class CoveringTolerations {
  private readonly exact = new Set<string>();
  private readonly widest = new Map<string, Widest>();

  add({ exactly, slot, forSeconds }: Compared): void {
    if (this.exact.has(exactly)) return;
    this.exact.add(exactly);
    if (slot === undefined) return;
    const entry = { exactly, forSeconds };
    const widest = this.widest.get(slot);
    if (widest === undefined) this.widest.set(slot, { first: entry });
    else if (entry.forSeconds > widest.first.forSeconds) this.widest.set(slot, { first: entry, second: widest.first });
    else if (widest.second === undefined || entry.forSeconds > widest.second.forSeconds) widest.second = entry;
  }

  /** Returns whether a toleration in the index is equal or covers this one. */
  cover(toleration: Compared): boolean {
    return this.exact.has(toleration.exactly) || this.coverByAnother(toleration);
  }

  /** Returns whether a toleration in the index covers this one and is not equal to it. */
  coverByAnother({ exactly, wider }: Compared): boolean {
    return wider.some(({ slot, needed }) => {
      const widest = this.widest.get(slot);
      if (widest === undefined) return false;
      const entry = widest.first.exactly === exactly ? widest.second : widest.first;
      return entry !== undefined && entry.forSeconds >= needed;
    });
  }
}

/** The two tolerations of a slot that last longest. */
interface Widest {
  readonly first: Entry;
  second?: Entry;
}

type Entry = Pick<Compared, "exactly" | "forSeconds">;

/** Returns whether each toleration is equal to an allowed one or covered by one. */
export function areCovered(tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean {
  const covering = new CoveringTolerations();
  for (const each of allowed) covering.add(compared(each));
  return tolerations.every((each) => covering.cover(compared(each)));
}

/** Returns the slot of a toleration. Tolerations in one slot differ only in time. */
function slotOf({ key = "", operator = "", value = "", effect = "" }: Toleration): string | undefined {
  switch (operator) {
    case "Exists":
      return anyValue(key, effect);
    case "":
    case "Equal":
      return oneValue(key, effect, value);
    default:
      return undefined;
  }
}

// Lengths come first, so that different parts never give the same key.
const anyValue = (key: string, effect: string): string => `*${effect.length} ${effect}${key}`;
const oneValue = (key: string, effect: string, value: string): string =>
  `=${effect.length} ${key.length} ${effect}${key}${value}`;

/** Returns the seconds that a toleration grants. They are limited only for NoExecute. */
const secondsGranted = ({ effect, tolerationSeconds }: Toleration): number | bigint =>
  effect === "NoExecute" ? (tolerationSeconds ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;

const nameOf = ({ key = "", operator = "", value = "", effect = "" }: Toleration): string =>
  `${key.length} ${operator.length} ${value.length} ${key}${operator}${value}${effect}`;

const TEXT_FIELDS = ["key", "operator", "value", "effect"] as const;

/** Reads tolerations from an annotation or a configuration. @throws Error for an invalid toleration */
export function readTolerations(value: unknown): readonly Toleration[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new Error("must be a list of tolerations");
  return value.map((each, at) => {
    if (!isObject(each)) throw new Error(`[${at}] must be a toleration`);
    const fields = byLowerCase(each);
    const read: { -readonly [Field in keyof Toleration]: Toleration[Field] } = {};
    for (const field of TEXT_FIELDS) {
      const text = fields.get(field);
      if (text === undefined || text === null || text === "") continue;
      if (typeof text !== "string") throw new Error(`[${at}].${field} must be a string`);
      read[field] = text;
    }
    const tolerationSeconds = fields.get("tolerationseconds");
    if (tolerationSeconds !== undefined && tolerationSeconds !== null) {
      if (!isInt64(tolerationSeconds)) throw new Error(`[${at}].tolerationSeconds must be an integer`);
      read.tolerationSeconds = tolerationSeconds;
    }
    return read;
  });
}

/** Kubernetes decodes these lists case-insensitively: a key that is missed would make a toleration of everything. */
const byLowerCase = (object: JsonObject): ReadonlyMap<string, JsonValue> =>
  new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));
