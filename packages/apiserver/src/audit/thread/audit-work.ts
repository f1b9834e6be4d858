// What the main thread asks of the audit's own.
import type { VocabularyName } from "@orch/schema";

export interface AuditThreadStart {
  readonly vocabulary: VocabularyName;
  readonly release: string;
}

export interface BodyWork {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly omitManagedFields: boolean;
  readonly hidesToken: boolean;
  /** Whether this server has made it. */
  readonly isOwn: boolean;
}

/** A policy in parts that are JSON of lists of rules, or what is wrong with it. */
export type PolicyAnswer =
  | { readonly rules: readonly string[]; readonly warnings: readonly string[] }
  | { readonly wrong: readonly string[] };

export interface AuditThreadOffers {
  body(work: BodyWork): Promise<Uint8Array>;
  policy(text: string): Promise<PolicyAnswer>;
}
