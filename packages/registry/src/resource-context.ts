// One served resource with all that its verbs need.

import type {
  Admission,
  GroupKind,
  GroupResource,
  ItemOrder,
  ObjectVersions,
  Randomness,
  ResourceDefinition,
} from "@orch/machinery";
import type { Clock, LoopTurns } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { Store, ValueCodec } from "@orch/store";
import type { History } from "./cache/history";
import type { ResourceCache } from "./cache/resource-cache";
import type { WatchCache } from "./cache/watch-cache";
import type { Conversions } from "./conversion/conversions";
import type { KeySpace } from "./objects/key-layout";
import type { ResourceForm } from "./objects/resource-form";
import type { RegistryObserver } from "./observer";
import type { RevisionReader } from "./read/revision-reader";
import type { AccountKind } from "./write/accounts/account";
import type { Accounts } from "./write/accounts/accounts";
import type { ClaimsSeen } from "./write/claims-seen";
import type { SharedLeases } from "./write/shared-leases";
import type { WriteTurns } from "./write/write-turns";

/** What all resources of a registry share. */
export interface RegistryContext {
  readonly store: Store;
  /** Root of every key. */
  readonly prefix: string;
  readonly codec: ValueCodec;
  readonly watchCache: WatchCache;
  readonly revisions: RevisionReader;
  readonly history: History;
  /** Of objects with a lifetime. */
  readonly leases: SharedLeases;
  /** That writes are charged to. */
  readonly accounts: Accounts;
  /** Undefined: everything is admitted as it is. */
  readonly admission: Admission | undefined;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** For work on many objects. */
  readonly loop: LoopTurns;
  readonly randomness: Randomness;
  readonly observer: RegistryObserver;
  /** Whether objects say who wrote which of their fields. */
  readonly tracksFields: boolean;
  /** Whether it also says by which sub-resource. */
  readonly marksSubresources: boolean;
  /** Whether deletions leave the finalizers for a garbage collector that they ask for. */
  readonly leavesDependents: boolean;
  /** Where an apply puts new items of a list. */
  readonly itemOrder: ItemOrder;
}

export interface ResourceContext extends RegistryContext, AccountKind {
  readonly definition: ResourceDefinition;
  readonly form: ResourceForm;
  readonly keys: KeySpace;
  readonly cache: ResourceCache;
  readonly versions: ObjectVersions;
  /** Undefined, as for all built-in kinds: no version has to be waited for. */
  readonly conversions: Conversions | undefined;
  readonly turns: WriteTurns;
  readonly claimsSeen: ClaimsSeen;
  /** As errors name the resource, and its kind. */
  readonly resource: GroupResource;
  readonly kind: GroupKind;
}
