// Collects what rules find wrong with one object.
import { ERRORS_MAX, type FieldError, type FormatErrors, field } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { ValidationContext } from "../built-in-resource";
import { ALL_FEATURES, type Features } from "../features/features";
import type { Place } from "./place";

export class Report implements ValidationContext {
  readonly errors: FieldError[] = [];
  readonly vocabulary: Vocabulary;
  readonly version: ValidationContext["version"];
  readonly features: Features;
  readonly forbidsPrivileged: boolean;

  constructor({ vocabulary, version, features = ALL_FEATURES, forbidsPrivileged = false }: ValidationContext) {
    this.vocabulary = vocabulary;
    this.version = version;
    this.features = features;
    this.forbidsPrivileged = forbidsPrivileged;
  }

  /** Whether further errors are counted and no more told: a rule that would go on to look for many may stop. */
  get isFull(): boolean {
    return this.errors.length >= ERRORS_MAX;
  }

  required(at: Place, detail = ""): void {
    this.add(at, (path) => field.required(path, detail));
  }

  invalid(at: Place, value: unknown, detail: string): void {
    this.add(at, (path) => field.invalid(path, value, detail));
  }

  /** One error for each sentence of a format that a text breaks. */
  misformed(at: Place, value: unknown, sentences: FormatErrors): void {
    for (const sentence of sentences) this.invalid(at, value, sentence);
  }

  notSupported(at: Place, value: unknown, supported: readonly string[]): void {
    this.add(at, (path) => field.notSupported(path, value, supported));
  }

  forbidden(at: Place, detail: string): void {
    this.add(at, (path) => field.forbidden(path, detail));
  }

  duplicate(at: Place, value: unknown): void {
    this.add(at, (path) => field.duplicate(path, value));
  }

  notFound(at: Place, value: unknown): void {
    this.add(at, (path) => field.notFound(path, value));
  }

  tooLong(at: Place, maxBytes: number): void {
    this.add(at, (path) => field.tooLong(path, maxBytes));
  }

  tooMany(at: Place, found: { readonly count: number; readonly max: number }): void {
    this.add(at, (path) => field.tooMany(path, found));
  }

  immutable(at: Place, value: unknown): void {
    this.add(at, (path) => field.immutable(path, value ?? null));
  }

  /** What another table of rules, which spells its own paths, has found. */
  found(errors: readonly FieldError[]): void {
    for (const error of errors) this.errors.push(error);
  }

  /** Of more errors than an answer tells, each stands for one that is not spelt out. */
  private add(at: Place, error: (path: string) => FieldError): void {
    this.errors.push(this.isFull ? UNTOLD : error(at.toString()));
  }
}

const UNTOLD = field.internal("", "one of too many errors");
