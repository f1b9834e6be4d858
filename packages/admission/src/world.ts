// What plugins may ask about the rest of the cluster.
import type { Authorizer, HeldRules } from "@orch/auth";
import type { UserInfo } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";

export interface AdmissionWorld {
  readonly vocabulary: Vocabulary;
  readonly clock: AdmissionClock;
  readonly namespaces: NamespaceReader;
  readonly roles: RoleReader;
  /** That which requests go by, all modes together. */
  readonly authorizer: Pick<Authorizer, "authorize">;
}

export interface AdmissionClock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface NamespaceReader {
  /**
   * The namespace of that name. Only one that takes objects is told from a cache; that there is none, or that it is being deleted, is
   * what the store says.
   */
  get(name: string): NamespaceState | undefined | Promise<NamespaceState | undefined>;
  /** The namespace of that name as the store has it, whatever a cache says. */
  inStore(name: string): Promise<NamespaceState | undefined>;
}

export interface NamespaceState {
  /** Being deleted: it takes no new objects. */
  readonly terminating: boolean;
  /** Of the store, at which it was so. */
  readonly revision: number;
}

export interface RoleReader {
  /** From the store. @throws StatusError NotFound (404) that names the role */
  role(kind: "Role" | "ClusterRole", namespace: string, name: string): Promise<JsonObject>;
  /** What bound roles grant to a user. @param namespace "" for what they grant everywhere */
  heldBy(user: UserInfo, namespace: string): HeldRules | Promise<HeldRules>;
}
