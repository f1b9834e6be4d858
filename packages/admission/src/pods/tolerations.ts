// Tolerations of pods: which of them says as much as another, and lists of them put together. Lists are as long as clients make them, so
// nothing here compares each with each. Source: facts, admission/plugins.md "PodTolerationRestriction".
import { isInt64, isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { objectsIn } from "./pod-parts";

/** A field that is absent says as much as an empty one. */
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

/** One after the other, without those that another one covers; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second];
  const later = new CoveringTolerations();
  const isCoveredLater = new Array<boolean>(all.length);
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const toleration = all[at] as Toleration;
    isCoveredLater[at] = later.coverByAnother(toleration);
    later.add(toleration);
  }
  const kept = new CoveringTolerations();
  return all.filter((toleration, at) => {
    if (isCoveredLater[at] || kept.cover(toleration)) return false;
    kept.add(toleration);
    return true;
  });
}

/** Those of the same key, operator, value and effect give way to each; without such it comes last. */
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

/** Tolerations by what they cover. */
export class CoveringTolerations {
  private readonly exact = new Set<string>();
  private readonly widest = new Map<string, Widest>();

  constructor(tolerations: readonly Toleration[] = []) {
    for (const each of tolerations) this.add(each);
  }

  add(toleration: Toleration): void {
    const exactly = exactText(toleration);
    if (this.exact.has(exactly)) return;
    this.exact.add(exactly);
    const slot = slotOf(toleration);
    if (slot === undefined) return;
    const entry = { exactly, forSeconds: secondsGranted(toleration) };
    const widest = this.widest.get(slot);
    if (widest === undefined) this.widest.set(slot, { first: entry });
    else if (entry.forSeconds > widest.first.forSeconds) this.widest.set(slot, { first: entry, second: widest.first });
    else if (widest.second === undefined || entry.forSeconds > widest.second.forSeconds) widest.second = entry;
  }

  /** Is one of them equal, or says more? */
  cover(toleration: Toleration): boolean {
    return this.exact.has(exactText(toleration)) || this.coverByAnother(toleration);
  }

  /** Does one of them say more that is not equal? */
  coverByAnother(toleration: Toleration): boolean {
    const exactly = exactText(toleration);
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
    const needed = tolerationSeconds ?? Number.POSITIVE_INFINITY;
    const effects = effect === "" ? [""] : [effect, ""];
    return effects.some((each) => {
      const wide = (slot: string) => this.isWideEnough(slot, exactly, each === "NoExecute" ? needed : 0);
      return (
        wide(anyValue(key, each)) ||
        wide(anyValue("", each)) ||
        (operator === "Equal" && wide(oneValue(key, each, value)))
      );
    });
  }

  private isWideEnough(slot: string, exactly: string, needed: number | bigint): boolean {
    const widest = this.widest.get(slot);
    if (widest === undefined) return false;
    const entry = widest.first.exactly === exactly ? widest.second : widest.first;
    return entry !== undefined && entry.forSeconds >= needed;
  }
}

/** The two that tolerate for the longest time, of those that differ in nothing else that counts. */
interface Widest {
  readonly first: Entry;
  second?: Entry;
}

interface Entry {
  readonly exactly: string;
  readonly forSeconds: number | bigint;
}

/** Tolerations in one slot differ in time alone. Undefined for an operator that covers nothing. */
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

const anyValue = (key: string, effect: string): string => JSON.stringify([effect, key]);
const oneValue = (key: string, effect: string, value: string): string => JSON.stringify([effect, key, value]);

/** Time only counts where pods are driven away. */
const secondsGranted = ({ effect, tolerationSeconds }: Toleration): number | bigint =>
  effect === "NoExecute" ? (tolerationSeconds ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;

const nameOf = ({ key = "", operator = "", value = "", effect = "" }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

const exactText = (toleration: Toleration): string => `${nameOf(toleration)} ${toleration.tolerationSeconds ?? ""}`;

const TEXT_FIELDS = ["key", "operator", "value", "effect"] as const;

/** Tolerations that were written outside a pod: in an annotation, or a configuration. @throws Error for what is none */
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

/** The field writes such lists in whatever case: a key that is not seen would make a toleration of everything. */
const byLowerCase = (object: JsonObject): ReadonlyMap<string, JsonValue> =>
  new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));
