// What an admission plugin is: a small module that may refuse a write or change its object, with a view of the world handed in.
// Source: access-control, "Admission control"; facts, admission/chain.md.
import type { AdmissionOperation, AdmissionRequest } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";

export interface AdmissionPlugin {
  /** As in `--enable-admission-plugins`. */
  readonly name: string;
  readonly operations: readonly AdmissionOperation[];
  /** May change `request.object`. Runs before the object's own validation. @throws StatusError to refuse */
  readonly mutate?: AdmissionStep;
  /** Changes nothing. Runs after the object's own validation. @throws StatusError to refuse */
  readonly validate?: AdmissionStep;
}

/** Answers at once where it can: most requests then wait for nothing. */
export type AdmissionStep = (request: AdmissionRequest, world: AdmissionWorld) => void | Promise<void>;

/** What plugins may ask about the rest of the cluster. */
export interface AdmissionWorld {
  readonly vocabulary: Vocabulary;
  /**
   * The namespace of that name; undefined only when the store was asked and has none, for a cache may not have seen it yet.
   */
  namespace(name: string): NamespaceState | undefined | Promise<NamespaceState | undefined>;
  /** Whether no object lives in the namespace, as far as the cache knows. */
  namespaceIsEmpty(name: string): boolean | Promise<boolean>;
}

export interface NamespaceState {
  /** Being deleted: it takes no new objects. */
  readonly terminating: boolean;
}
