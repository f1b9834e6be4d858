// Collects the validation errors of one object.
import { ERRORS_MAX, type FieldError, type FormatErrors, field } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { ValidationContext } from "../built-in-resource";
import { ALL_FEATURES, type Features } from "../features/features";
import type { Place } from "./place";

export class Report implements ValidationContext {
  readonly errors: FieldError[] = [];
  readonly vocabulary: Vocabulary;
  readonly version: ValidationContext["version"];
  readonly features: Features;
  readonly forbidsPrivileged: boolean;
  readonly nowMs: () => number;
  /** The stored object that a change replaces. */
  readonly stored: JsonObject | undefined;
  private answers: Map<(stored: JsonObject) => boolean, boolean> | undefined;

  constructor(context: ValidationContext) {
    const {
      vocabulary,
      version,
      features = ALL_FEATURES,
      forbidsPrivileged = false,
      nowMs = Date.now,
      stored,
    } = context;
    this.vocabulary = vocabulary;
    this.version = version;
    this.features = features;
    this.forbidsPrivileged = forbidsPrivileged;
    this.nowMs = nowMs;
    this.stored = stored;
  }

  /** Returns whether the stored object passes a test, which runs once for each object. False on create. */
  storedIs(test: (stored: JsonObject) => boolean): boolean {
    if (this.stored === undefined) return false;
    this.answers ??= new Map();
    const kept = this.answers.get(test);
    if (kept !== undefined) return kept;
    const answer = test(this.stored);
    this.answers.set(test, answer);
    return answer;
  }

  /** Whether further errors are only counted. A rule that looks for many errors may stop then. */
  get isFull(): boolean {
    return this.errors.length >= ERRORS_MAX;
  }

  required(at: Place, detail = ""): void {
    this.add(at, (path) => field.required(path, detail));
  }

  invalid(at: Place, value: unknown, detail: string): void {
    this.add(at, (path) => field.invalid(path, value, detail));
  }

  /** Adds one error per violated sentence of a format. */
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

  internal(at: Place, detail: string): void {
    this.add(at, (path) => field.internal(path, detail));
  }

  /** Adds errors of another table of rules, which has its own paths. */
  found(errors: readonly FieldError[]): void {
    for (const error of errors) this.errors.push(error);
  }

  /** Adds an error. Beyond the maximum, a placeholder is added, so that errors are counted. */
  private add(at: Place, error: (path: string) => FieldError): void {
    this.errors.push(this.isFull ? UNTOLD : error(at.toString()));
  }
}

const UNTOLD = field.internal("", "one of too many errors");
