// Validates labels and annotations. Source: "Labels and Selectors" and "Annotations" in the Kubernetes documentation.
import { type FieldError, invalid, tooLong } from "../errors/field-error";
import { labelValueErrors, qualifiedNameErrors } from "../names/name-formats";

/** Maximum total size of annotation keys and values. */
const ANNOTATIONS_MAX_BYTES = 262144;
/**
 * Maximum total size of label keys and values. Kubernetes does not limit it; the server does, because every selector
 * iterates over the labels.
 */
const LABELS_MAX_BYTES = ANNOTATIONS_MAX_BYTES;

export function labelErrors(labels: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const text of qualifiedNameErrors(key)) errors.push(invalid(path, key, text));
    for (const text of labelValueErrors(value)) errors.push(invalid(path, value, text));
  }
  if (!fit(labels, LABELS_MAX_BYTES)) errors.push(tooLong(path, LABELS_MAX_BYTES));
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

/** Reports whether annotations are within their size limit. */
export const annotationsFit = (annotations: Readonly<Record<string, string>>): boolean =>
  fit(annotations, ANNOTATIONS_MAX_BYTES);

/** Maximum UTF-8 bytes per UTF-16 code unit. When the upper bound fits, the exact size need not be counted. */
const UNIT_MAX_BYTES = 3;

function fit(texts: Readonly<Record<string, string>>, maxBytes: number): boolean {
  let units = 0;
  for (const key in texts) units += key.length + (texts[key] as string).length;
  return units * UNIT_MAX_BYTES <= maxBytes || bytesOf(texts) <= maxBytes;
}

function bytesOf(texts: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(texts)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  return bytes;
}
