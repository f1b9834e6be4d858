// Requests from the main thread to the audit thread.
import type { VocabularyName } from "@orch/schema";

export interface AuditThreadStart {
  readonly vocabulary: VocabularyName;
  readonly release: string;
  /** Accepted versions of audit policies. */
  readonly versions: readonly string[];
}

export interface BodyWork {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly omitManagedFields: boolean;
  readonly hidesToken: boolean;
  /** Whether this server encoded the body. */
  readonly isOwn: boolean;
}

/** A policy in parts, each a JSON list of rules, or its errors. */
export type PolicyAnswer =
  | { readonly rules: readonly string[]; readonly warnings: readonly string[] }
  | { readonly wrong: readonly string[] };

export interface AuditThreadOffers {
  body(work: BodyWork): Promise<Uint8Array>;
  policy(text: string): Promise<PolicyAnswer>;
}
