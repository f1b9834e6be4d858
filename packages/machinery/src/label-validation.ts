// The rules of labels and annotations. Source: facts, validation/_common.md "ObjectMeta".
import { type FieldError, invalid, tooLong } from "./field-error";
import { labelValueErrors, qualifiedNameErrors } from "./name-formats";

const ANNOTATIONS_MAX_BYTES = 262144;

export function labelErrors(labels: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const text of qualifiedNameErrors(key)) errors.push(invalid(path, key, text));
    for (const text of labelValueErrors(value)) errors.push(invalid(path, value, text));
  }
  return errors;
}

export function annotationErrors(annotations: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(annotations)) {
    for (const text of qualifiedNameErrors(key.toLowerCase())) errors.push(invalid(path, key, text));
  }
  if (!annotationsFit(annotations)) errors.push(tooLong(path, ANNOTATIONS_MAX_BYTES));
  return errors;
}

/** Whether an object may have as much in its annotations. */
export function annotationsFit(annotations: Readonly<Record<string, string>>): boolean {
  let totalBytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    totalBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return totalBytes <= ANNOTATIONS_MAX_BYTES;
}
