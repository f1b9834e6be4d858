// State of a walk over a body: its position and the problems found.

import { type DecodeProblem, PROBLEMS_MAX, pathText, problemPath } from "../json/decode-problem";
import type { JsonValue } from "../json/json-value";
import { DecodeError, describe } from "./decode-error";

export interface DecodeOptions {
  /**
   * Keeps a null in a field that is not nullable, for types that validate later, so that validation reports it.
   * Default: such a null is dropped.
   */
  readonly keepsNulls?: boolean;
}

/**
 * Maximum number of fields of a decoded object. An empty item of two bytes becomes an object with several fields and
 * defaults: a body may grow a hundredfold.
 */
const MEMBERS_MAX = 1_000_000;

/** Keeps the path as steps, and formats it only for a message. */
export class DecodeWalk {
  readonly problems: DecodeProblem[] = [];
  private readonly steps: (string | number)[] = [];
  private members = 0;
  readonly keepsNulls: boolean;

  constructor({ keepsNulls = false }: DecodeOptions = {}) {
    this.keepsNulls = keepsNulls;
  }

  /** @param step a field's name, a list index, or a map key in the form of `mapKey` */
  enter(step: string | number): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  /**
   * Counts the fields of the decoded object, including those that decoding adds.
   * @throws DecodeError far above the size of any object that can be stored
   */
  hold(members: number): void {
    this.members += members;
    if (this.members > MEMBERS_MAX) this.failWith(`no more than ${MEMBERS_MAX} fields in the whole object`, "more");
  }

  unknown(name: string): void {
    if (this.problems.length >= PROBLEMS_MAX) return;
    this.problems.push({ kind: "unknownField", path: problemPath([...this.steps, name]) });
  }

  /** @throws DecodeError at the current position, with a description of the value */
  fail(expected: string, found: JsonValue): never {
    throw new DecodeError(pathText(this.steps), expected, describe(found));
  }

  /** @throws DecodeError at the current position, where an object or an array is expected */
  failShape(shape: "struct" | "map" | "list", found: JsonValue): never {
    const expected = shape === "list" ? "an array" : "an object";
    throw new DecodeError(pathText(this.steps), expected, describe(found), shape, found);
  }

  /** @throws DecodeError at the current position, for a number that is too large */
  failRange(expected: string, found: JsonValue): never {
    throw new DecodeError(pathText(this.steps), expected, describe(found), "range", found);
  }

  /** @param found description of the value. @throws DecodeError at the current position */
  failWith(expected: string, found: string): never {
    throw new DecodeError(pathText(this.steps), expected, found);
  }
}
