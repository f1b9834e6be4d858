// Collects what rules find wrong with one object.
import { type FieldError, type FormatErrors, field } from "@orch/machinery";
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

  required(at: Place, detail = ""): void {
    this.errors.push(field.required(at.toString(), detail));
  }

  invalid(at: Place, value: unknown, detail: string): void {
    this.errors.push(field.invalid(at.toString(), value, detail));
  }

  /** One error for each sentence of a format that a text breaks. */
  misformed(at: Place, value: unknown, sentences: FormatErrors): void {
    for (const sentence of sentences) this.invalid(at, value, sentence);
  }

  notSupported(at: Place, value: unknown, supported: readonly string[]): void {
    this.errors.push(field.notSupported(at.toString(), value, supported));
  }

  forbidden(at: Place, detail: string): void {
    this.errors.push(field.forbidden(at.toString(), detail));
  }

  duplicate(at: Place, value: unknown): void {
    this.errors.push(field.duplicate(at.toString(), value));
  }

  notFound(at: Place, value: unknown): void {
    this.errors.push(field.notFound(at.toString(), value));
  }

  tooLong(at: Place, maxBytes: number): void {
    this.errors.push(field.tooLong(at.toString(), maxBytes));
  }

  tooMany(at: Place, found: { readonly count: number; readonly max: number }): void {
    this.errors.push(field.tooMany(at.toString(), found));
  }

  immutable(at: Place, value: unknown): void {
    this.errors.push(field.immutable(at.toString(), value ?? null));
  }

  /** What another table of rules, which spells its own paths, has found. */
  found(errors: readonly FieldError[]): void {
    for (const error of errors) this.errors.push(error);
  }
}
