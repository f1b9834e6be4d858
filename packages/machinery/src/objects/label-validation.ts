// The rules of labels and annotations. Source: facts, validation/_common.md "ObjectMeta".
import { type FieldError, invalid, tooLong } from "../errors/field-error";
import { labelValueErrors, qualifiedNameErrors } from "./name-formats";

/** Of all keys and values of annotations together. */
const ANNOTATIONS_MAX_BYTES = 262144;
/** Of all keys and values of labels together, which the field leaves unbounded: every selector looks at all of them. */
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

/** Whether an object may have as much in its annotations. */
export const annotationsFit = (annotations: Readonly<Record<string, string>>): boolean =>
  fit(annotations, ANNOTATIONS_MAX_BYTES);

/** A UTF-16 unit has three bytes at most: few characters need not be counted in bytes. */
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
