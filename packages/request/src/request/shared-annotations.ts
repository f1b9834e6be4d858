// Audit annotations that many requests share, such as the authorization reason: built once for all.
import type { AnnotationLevel } from "@orch/machinery";

export interface AuditAnnotation {
  readonly value: string;
  /** Minimum level of the event that shows the annotation. */
  readonly level: AnnotationLevel;
}

export interface SharedAnnotations {
  readonly annotations: ReadonlyMap<string, AuditAnnotation>;
  /** The annotations in the form of an event, for every level. */
  readonly shown: Readonly<Record<string, string>>;
}

export function sharedAnnotations(shown: Readonly<Record<string, string>>): SharedAnnotations {
  const annotations = Object.entries(shown).map(
    ([key, value]) => [key, { value, level: "Metadata" } as const] as const,
  );
  return { annotations: new Map(annotations), shown: Object.freeze({ ...shown }) };
}
