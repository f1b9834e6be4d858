// Violations of a policy. Only as many are kept as are of use in a message.
import { type FieldError, field } from "@orch/machinery";

const KEPT_MAX = 100;

export class Findings {
  readonly errors: FieldError[] = [];

  get isFull(): boolean {
    return this.errors.length >= KEPT_MAX;
  }

  get isEmpty(): boolean {
    return this.errors.length === 0;
  }

  add(error: FieldError): void {
    if (!this.isFull) this.errors.push(error);
  }

  invalid(path: string, value: unknown, detail: string): void {
    this.add(field.invalid(path, value ?? null, detail));
  }

  required(path: string, detail = ""): void {
    this.add(field.required(path, detail));
  }

  forbidden(path: string, detail: string): void {
    this.add(field.forbidden(path, detail));
  }
}
