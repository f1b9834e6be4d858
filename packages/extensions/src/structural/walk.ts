// Where a walk over one object is, what it has found, and how much it has done.
import { ERRORS_MAX, type FieldError, field } from "@orch/machinery";
import { isInt64, type JsonValue, partsUpTo, type StructType } from "@orch/schema";

/**
 * What one object may cost, a look of a node at a value being one: only schemas that look at each value very many times take more. Objects
 * of many values are looked at beside the event loop, those of few on it.
 */
const STEPS_OF_ANY = 150_000;
const STEPS_OF_VALUE = 4;
const VALUES_MAX = 1_000_000;

/** For a walk over a value. */
export const stepsFor = (value: JsonValue): number => STEPS_OF_ANY + STEPS_OF_VALUE * partsUpTo(value, VALUES_MAX);
/** Steps of patterns: see RegularExpression. */
const PATTERN_WORK_MAX = 5_000_000;
/** Of the errors of one way out of several, which are told to explain why it was not taken. */
const BRANCH_ERRORS_MAX = 50;

export class Walk {
  /** Of the object's content. */
  errors: FieldError[] = [];
  /** Of items that are there twice: an object that had such is not held to it. */
  readonly repeated: FieldError[] = [];
  private errorsMax = ERRORS_MAX;
  private readonly steps: (string | number)[] = [];
  private readonly front: string;
  /** The type of metadata of resources within. */
  readonly metadata: StructType;
  private done = 0;
  private patternWork = 0;
  private isOver = false;

  /** @param front the path of the value that is walked, "" for a whole object. @param stepsMax past it the object is refused */
  constructor(
    front: string,
    metadata: StructType,
    private readonly stepsMax: number,
  ) {
    this.front = front;
    this.metadata = metadata;
  }

  /** Whether there is any use in going on. One error more than an answer tells is found, so that it can say that there are more. */
  get isDone(): boolean {
    return this.isOver || this.errors.length > this.errorsMax;
  }

  enter(step: string | number): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  /** @returns false once the object has cost too much, and is refused for that */
  spend(steps: number): boolean {
    this.done += steps;
    if (this.done <= this.stepsMax) return true;
    this.isOver = true;
    return false;
  }

  /** Whether a single text may cost so much, where it comes to the worst; where not, the object is refused for it. */
  isAffordable(patternWork: number): boolean {
    if (patternWork > PATTERN_WORK_MAX) this.isOver = true;
    return !this.isOver;
  }

  spendOnPatterns(work: number): void {
    this.patternWork += work;
    if (this.patternWork > PATTERN_WORK_MAX) this.isOver = true;
  }

  /** Those of an object that the schema could not be held against to its end say so last. */
  get allErrors(): readonly FieldError[] {
    return this.isOver ? [...this.errors, field.forbidden(this.front, TOO_MUCH)] : this.errors;
  }

  /** `spec.list[0].name`; "" for the object itself. Of one that is too long to be told the end, behind `…`. */
  path(): string {
    let text = "";
    for (let at = this.steps.length - 1; at >= 0; at--) {
      const step = this.steps[at] as string | number;
      const name = typeof step === "number" ? `[${step}]` : `.${step.slice(-PATH_MAX_CHARACTERS - 1)}`;
      text = name + text;
      if (text.length > PATH_MAX_CHARACTERS) return `…${text.slice(-PATH_MAX_CHARACTERS)}`;
    }
    if (this.front === "") return text.startsWith(".") ? text.slice(1) : text;
    return this.front + text;
  }

  add(error: FieldError): void {
    this.errors.push(error);
  }

  /** @param rule what the field's text says behind the path */
  invalid(value: unknown, rule: string): void {
    const path = this.path();
    this.add(field.invalid(path, value, `${path} in body ${rule}`));
  }

  wrongType(type: string, found: string): void {
    this.invalid(found, `must be of type ${type}: ${JSON.stringify(found)}`);
  }

  /** The errors that a part of the walk finds by itself. */
  aside(part: () => void): readonly FieldError[] {
    const { errors, errorsMax } = this;
    this.errors = [];
    this.errorsMax = Math.min(BRANCH_ERRORS_MAX, errorsMax);
    part();
    const found = this.errors;
    this.errors = errors;
    this.errorsMax = errorsMax;
    return found.slice(0, BRANCH_ERRORS_MAX);
  }
}

const PATH_MAX_CHARACTERS = 2048;
const TOO_MUCH = "it takes too many steps to hold the object against its schema: not all of the rules could be checked";

/** As errors call what came. */
export function typeNameOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "number":
      return isInt64(value) ? "integer" : "number";
    case "bigint":
      return "integer";
    default:
      return typeof value;
  }
}
