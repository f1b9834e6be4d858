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
   * The namespace of that name. Only one that takes objects is told from a cache; that there is none, or that it is being deleted, is
   * what the store says.
   */
  namespace(name: string): NamespaceState | undefined | Promise<NamespaceState | undefined>;
  /** The same, from the store in any case. */
  namespaceInStore(name: string): Promise<NamespaceState | undefined>;
}

export interface NamespaceState {
  /** Being deleted: it takes no new objects. */
  readonly terminating: boolean;
  /** Of the store, at which it was so. */
  readonly revision: number;
}
