// Where a walk over a body is, and what it has noticed on the way.
import { DecodeError, describe } from "./decode-error";
import type { JsonValue } from "./json";

export interface DecodeOptions {
  /** Of types that validate later: a null of what cannot be null stays, for them to refuse it. Default: it is dropped. */
  readonly keepsNulls?: boolean;
}

/** Something odd in a body that decoding tolerates; the caller decides whether to ignore, warn or refuse (`fieldValidation`). */
export interface DecodeProblem {
  readonly kind: "unknownField" | "duplicateField" | "furtherDocument";
  /** As Status causes spell paths: `spec.containers[0].image`, `metadata.labels[a/b]`. */
  readonly path: string;
}

/**
 * How many problems of a body are told; the others are passed over. Their paths may each be as long as the body is deep, and a body that
 * has more of them than this is no slip of the pen.
 */
export const PROBLEMS_MAX = 1000;

/** An empty item of two bytes becomes an object of several fields, then gets its defaults: a body may grow a hundredfold. */
const MEMBERS_MAX = 1_000_000;

/** The path is kept as its steps and only spelt out when something is to be said. */
export class DecodeWalk {
  readonly problems: DecodeProblem[] = [];
  private readonly steps: (string | number)[] = [];
  private members = 0;
  readonly keepsNulls: boolean;

  constructor({ keepsNulls = false }: DecodeOptions = {}) {
    this.keepsNulls = keepsNulls;
  }

  /** @param step a field's name, a list index, or a map key as `mapKey` gives it */
  enter(step: string | number): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  /**
   * Counts what the object is going to hold, with all that decoding adds to it.
   * @throws DecodeError for far more than any object that can be stored
   */
  hold(members: number): void {
    this.members += members;
    if (this.members > MEMBERS_MAX) this.failWith(`no more than ${MEMBERS_MAX} fields in the whole object`, "more");
  }

  unknown(name: string): void {
    if (this.problems.length >= PROBLEMS_MAX) return;
    this.problems.push({ kind: "unknownField", path: pathText([...this.steps, name]) });
  }

  /** @throws DecodeError at the place that is looked at, which describes what came */
  fail(expected: string, found: JsonValue): never {
    throw new DecodeError(pathText(this.steps), expected, describe(found));
  }

  /** @throws DecodeError where an object or an array was due, at the place that is looked at */
  failShape(shape: "struct" | "map" | "list", found: JsonValue): never {
    const expected = shape === "list" ? "an array" : "an object";
    throw new DecodeError(pathText(this.steps), expected, describe(found), shape, found);
  }

  /** @throws DecodeError for a number that is too large to be kept, at the place that is looked at */
  failRange(expected: string, found: JsonValue): never {
    throw new DecodeError(pathText(this.steps), expected, describe(found), "range", found);
  }

  /** @param found the words for what came. @throws DecodeError at the place that is looked at */
  failWith(expected: string, found: string): never {
    throw new DecodeError(pathText(this.steps), expected, found);
  }
}

/** A step into a map: shown in brackets, as keys may hold dots. */
export function mapKey(key: string): string {
  return `[${key}]`;
}

/** `["spec", "containers", 0, "[a/b]"]` → `spec.containers[0][a/b]`; of one that is too long to be told the end, behind `…`. */
export function pathText(steps: readonly (string | number)[]): string {
  let text = "";
  for (let at = steps.length - 1; at >= 0; at--) {
    text = stepText(steps[at] as string | number, at === 0) + text;
    if (text.length > PATH_MAX_CHARACTERS) return `…${text.slice(-PATH_MAX_CHARACTERS)}`;
  }
  return text;
}

/** A key may be as long as the body, and stand in the path of each of its problems. */
const PATH_MAX_CHARACTERS = 2048;

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === "number") return `[${step}]`;
  if (step.length > PATH_MAX_CHARACTERS) return step.slice(-PATH_MAX_CHARACTERS - 1);
  return isFirst || step.startsWith("[") ? step : `.${step}`;
}
