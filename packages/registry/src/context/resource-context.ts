// One served resource with everything that its verbs need.

import type {
  Admission,
  GroupKind,
  GroupResource,
  ItemOrder,
  ObjectVersions,
  Randomness,
  ResourceDefinition,
} from "@orch/machinery";
import type { Clock, EventLoopYielder } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { Store, ValueCodec } from "@orch/store";
import type { History } from "../cache/history";
import type { ResourceCache } from "../cache/resource-cache";
import type { WatchCache } from "../cache/watch-cache";
import type { HistoryRules, HistoryTerms } from "../contract/history-rules";
import type { RegistryObserver } from "../contract/registry";
import type { Conversions } from "../conversion/write-conversions";
import type { KeySpace } from "../objects/key-layout";
import type { ResourceForm } from "../objects/resource-form";
import type { ConflictQueue } from "./conflict-queue";
import type { QuotaLedgers } from "./quota/quota-ledgers";
import type { QuotaKind } from "./quota/quota-object";
import type { RevisionReader } from "./revision-reader";
import type { SeenAllocations } from "./seen-allocations";
import type { SharedLeases } from "./shared-leases";

/** Parts that all resources of one store share. */
export interface RegistryContext {
  readonly store: Store;
  /** Returns the store that holds a resource. Undefined: all resources are in `store`. */
  readonly storeOf: ((resource: GroupResource) => Store) | undefined;
  /** Root of every key. */
  readonly prefix: string;
  readonly codec: ValueCodec;
  readonly watchCache: WatchCache;
  readonly revisions: RevisionReader;
  readonly history: History;
  /** Leases of objects with a lifetime. */
  readonly leases: SharedLeases;
  /** The quotas in which writes reserve. */
  readonly quotaLedgers: QuotaLedgers;
  /** Undefined: every request is admitted unchanged. */
  readonly admission: Admission | undefined;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** Turns of the event loop for work on many objects. */
  readonly loop: EventLoopYielder;
  readonly randomness: Randomness;
  readonly observer: RegistryObserver;
  /** Whether objects carry managedFields. */
  readonly tracksFields: boolean;
  /** Whether managedFields also name the subresource. */
  readonly marksSubresources: boolean;
  /** Whether deletions keep the finalizers that ask for the garbage collector. */
  readonly leavesDependents: boolean;
  /** Where a server-side apply puts new list items. */
  readonly itemOrder: ItemOrder;
  /** Undefined: no history of objects is kept. */
  readonly historyRules: HistoryRules | undefined;
  /** Returns another resource of the registry. */
  readonly peer: (resource: GroupResource) => ResourceContext | undefined;
}

export interface ResourceContext extends RegistryContext, QuotaKind {
  readonly definition: ResourceDefinition;
  readonly form: ResourceForm;
  readonly keys: KeySpace;
  readonly cache: ResourceCache;
  readonly versions: ObjectVersions;
  /** Undefined for all built-in kinds, whose versions need no waiting. */
  readonly conversions: Conversions | undefined;
  readonly turns: ConflictQueue;
  readonly seenAllocations: SeenAllocations;
  /** Undefined: no object of the resource has a history. */
  readonly historyTerms: HistoryTerms | undefined;
  /** Resource and kind in the form that errors name. */
  readonly resource: GroupResource;
  readonly kind: GroupKind;
}
