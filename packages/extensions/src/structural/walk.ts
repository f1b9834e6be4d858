// State of a walk over one object: its position, the errors found and the work done.
import { ERRORS_MAX, type FieldError, field } from "@orch/machinery";
import { isInt64, type JsonValue, partsUpTo, type StructType } from "@orch/schema";
import type { UnchangedValues } from "./unchanged-values";

/**
 * Step limit of one object; a step is one look of a node at a value. Only schemas that look at each value very many
 * times exceed it. Objects with many values are validated outside the event loop, objects with few values on it.
 */
const STEPS_OF_ANY = 150_000;
const STEPS_OF_VALUE = 4;
const VALUES_MAX = 1_000_000;

/** Returns the step limit of a walk over a value. */
export const stepsFor = (value: JsonValue): number => STEPS_OF_ANY + STEPS_OF_VALUE * partsUpTo(value, VALUES_MAX);
/** Limit of the pattern matching work: see RegularExpression. */
const PATTERN_WORK_MAX = 5_000_000;
/** Maximum number of errors kept for one alternative of anyOf or oneOf. */
const BRANCH_ERRORS_MAX = 50;

export class Walk {
  /** Errors of the object's content. */
  errors: FieldError[] = [];
  /** Errors of duplicate list items. They are ignored when the old object has duplicates, too. */
  readonly repeated: FieldError[] = [];
  /** Errors of the metadata of embedded resources. Unchanged values are not exempt from them. */
  readonly embedded: FieldError[] = [];
  private errorsMax = ERRORS_MAX;
  private readonly steps: Step[] = [];
  private readonly front: string;
  /** Type of the metadata of embedded resources. */
  readonly metadata: StructType;
  private done = 0;
  private patternWork = 0;
  private isOver = false;

  /**
   * @param front the path of the walked value, "" for a whole object.
   * @param stepsMax the object is rejected beyond this number
   * @param hasErrorKinds whether errors of types, lengths and counts have kinds of their own
   */
  constructor(
    front: string,
    metadata: StructType,
    private readonly stepsMax: number,
    readonly hasErrorKinds: boolean,
    /** Set for an update whose unchanged values are exempt. */
    readonly unchanged?: UnchangedValues | undefined,
  ) {
    this.front = front;
    this.metadata = metadata;
  }

  /**
   * Reports whether the walk can stop. It collects one error more than a response lists, so that the response can say
   * that there are more.
   */
  get isDone(): boolean {
    return this.isOver || this.errors.length + this.embedded.length > this.errorsMax;
  }

  /** @param step name of a member, index of an item, or key of a map entry, which the path shows in brackets */
  enter(step: Step): void {
    this.steps.push(step);
  }

  leave(): void {
    this.steps.pop();
  }

  /** Counts steps. @returns false once the limit is exceeded and the object is rejected */
  spend(steps: number): boolean {
    this.done += steps;
    if (this.done <= this.stepsMax) return true;
    this.isOver = true;
    return false;
  }

  /** Reports whether the worst case of a single match is within the limit. If not, the object is rejected. */
  isAffordable(patternWork: number): boolean {
    if (patternWork > PATTERN_WORK_MAX) this.isOver = true;
    return !this.isOver;
  }

  spendOnPatterns(work: number): void {
    this.patternWork += work;
    if (this.patternWork > PATTERN_WORK_MAX) this.isOver = true;
  }

  /** Returns all errors, with a last one for an object that exceeded the limit. */
  get allErrors(): readonly FieldError[] {
    return this.isOver ? [...this.errors, field.forbidden(this.front, TOO_MUCH)] : this.errors;
  }

  /**
   * Returns the path, such as `spec.list[0].name`; "" for the object itself. A long path is shortened to its end, after
   * `…`.
   */
  path(): string {
    let text = "";
    for (let at = this.steps.length - 1; at >= 0; at--) {
      const step = this.steps[at] as Step;
      const name = typeof step === "string" ? `.${step.slice(-PATH_MAX_CHARACTERS - 1)}` : `[${bracketed(step)}]`;
      text = name + text;
      if (text.length > PATH_MAX_CHARACTERS) return `…${text.slice(-PATH_MAX_CHARACTERS)}`;
    }
    if (this.front === "") return text.startsWith(".") ? text.slice(1) : text;
    return this.front + text;
  }

  add(error: FieldError): void {
    this.errors.push(error);
  }

  /** @param rule text of the message after the path */
  invalid(value: unknown, rule: string): void {
    const path = this.path();
    this.add(field.invalid(path, value, `${path} in body ${rule}`));
  }

  /** Adds an error of a value of another type, or in another format. @param value shown in the error */
  wrongType(type: string, value: string): void {
    const rule = `must be of type ${type}: ${JSON.stringify(value)}`;
    const path = this.path();
    const error = this.hasErrorKinds ? field.typeInvalid : field.invalid;
    this.add(error(path, value, `${path} in body ${rule}`));
  }

  /** Adds an error of a number that its format cannot hold. The error has no path, as in Kubernetes. */
  outOfRange({ type, format }: { readonly type: string; readonly format: string | undefined }): void {
    const how = format === undefined ? "(default format)" : `with format ${format}`;
    const rule = `Checked value must be of type ${type} ${how} in ${this.path()}`;
    this.add(field.invalid(this.front === "" ? "<nil>" : this.front, "", rule));
  }

  /** Adds an error of a text that is too long. */
  tooLong(value: string, max: number): void {
    if (this.hasErrorKinds) this.add(field.tooLong(this.path(), max));
    else this.invalid(value, `should be at most ${max} chars long`);
  }

  /** Adds an error of too many items or properties. */
  tooMany(count: number, max: number, what: "items" | "properties"): void {
    if (this.hasErrorKinds) this.add(field.tooMany(this.path(), { count, max }));
    else this.invalid(count, `should have at most ${max} ${what}`);
  }

  /** Returns the errors of a part of the walk, without adding them. */
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

type Step = string | number | { readonly key: string };

const bracketed = (step: Exclude<Step, string>): string | number =>
  typeof step === "number" ? step : step.key.slice(-PATH_MAX_CHARACTERS - 1);

const PATH_MAX_CHARACTERS = 2048;
const TOO_MUCH = "the validation of the object exceeds the step limit: not all rules were checked";

/** Returns the type name of a value as used in error messages. */
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
