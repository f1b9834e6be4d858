// One broken rule at one field. Source: facts, errors.json "fieldErrors".
export interface FieldError {
  readonly kind:
    | "Required"
    | "Invalid"
    | "NotSupported"
    | "Duplicate"
    | "Forbidden"
    | "TooLong"
    | "TooMany"
    | "NotFound"
    | "Internal";
  /** `spec.containers[0].name`, `metadata.labels[key]`. */
  readonly path: string;
  readonly value?: unknown;
  readonly detail?: string;
}
