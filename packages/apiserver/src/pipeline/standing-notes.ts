// Annotations that many requests have in the same words, such as why they were allowed: made once for all of them.
import type { AnnotationLevel } from "@orch/machinery";

export interface AuditAnnotation {
  readonly value: string;
  /** Of the event, below which it is left out. */
  readonly level: AnnotationLevel;
}

export interface StandingNotes {
  readonly annotations: ReadonlyMap<string, AuditAnnotation>;
  /** As an event shows them, at every level. */
  readonly shown: Readonly<Record<string, string>>;
}

export function standingNotes(shown: Readonly<Record<string, string>>): StandingNotes {
  const annotations = Object.entries(shown).map(
    ([key, value]) => [key, { value, level: "Metadata" } as const] as const,
  );
  return { annotations: new Map(annotations), shown: Object.freeze({ ...shown }) };
}
