// The calls between the main thread and the large-object workers. All of them carry plain data.

import type { Attributes, Decision, HeldRules } from "@orch/auth";
import type { Definition, Names } from "@orch/extensions";
import type { ChangedPaths, GroupResource, ObjectToConvert, Status, UserInfo } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { DeleteOptions, ObjectKey } from "@orch/registry";
import type { AuditAnnotation, RenderedPart, Representation, SentObject } from "@orch/request";
import type { VocabularyName } from "@orch/schema";
import type { OfferedReaders, OfferedWebhooks, PluginConfigurations } from "@orch/server-admission";
import type { ServerConfig } from "@orch/server-config";
import type { OfferedStores } from "./port-store";

/** Initial data of a large-object worker. */
export interface WorkerStart {
  readonly config: ServerConfig;
  readonly vocabulary: VocabularyName;
  readonly configurations: PluginConfigurations;
}

/** The definition that serves a custom resource. A thread that has a different one, or none, asks for it. */
export interface DefinedBy extends GroupResource {
  /** Changes with the definition. */
  readonly key: string;
  readonly terminating: boolean;
}

/** Identifies the route to an object. */
export interface LargeObjectRoute {
  /** See `Route.path`. */
  readonly route: string;
  /** Absent for built-in resources. */
  readonly definedBy?: DefinedBy;
}

export interface FoundDefinition {
  readonly key: string;
  readonly definition: Definition;
  readonly names: Names;
}

/** A write with a large body or of a large object. The request is authenticated, authorized and read. */
export interface LargeWrite extends LargeObjectRoute {
  readonly method: string;
  readonly url: string;
  readonly httpVersionMajor: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  readonly user: UserInfo;
  /** Value of `Audit-Id`. */
  readonly id: string;
  readonly pretty: boolean;
  readonly tellsChanges: boolean;
  /** Warnings that are already in the answer. */
  readonly warnings: readonly string[];
  /** Time limit in milliseconds. */
  readonly timeoutMs: number;
}

/** Deletion of one object of a collection. */
export interface LargeDeletion extends LargeObjectRoute {
  readonly key: ObjectKey;
  readonly options: DeleteOptions;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly pathName: string;
}

/** A complete answer, with what the handler added to the request context. */
export interface LargeWriteAnswer {
  readonly code: number;
  /** Names and values alternate. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly dryRun: string;
  readonly applies: boolean;
  readonly failure: Status | undefined;
  readonly sent: SentObject | undefined;
  readonly changedFields: ChangedPaths | undefined;
  readonly auditAnnotations: ReadonlyMap<string, AuditAnnotation> | undefined;
}

/** A stored object in an older form. */
export interface LargeRewrite extends LargeObjectRoute {
  readonly key: ObjectKey;
}

/** One stored object in a form that is expensive to make. */
export interface LargeRendering extends LargeObjectRoute {
  readonly representation: Representation;
  readonly indented: boolean;
  readonly what: RenderedPart;
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly resourceVersion: number;
  /** Stored bytes; see resource-form.ts. */
  readonly stored: Uint8Array;
}

/** Objects that a conversion webhook converts to another version. */
export interface LargeConversion extends LargeObjectRoute {
  /** `<group>/<version>`, served or not. */
  readonly to: string;
  readonly objects: readonly ObjectToConvert[];
}

/** Calls that a worker offers. */
export type WorkerCalls = {
  readonly write: (work: LargeWrite, signal: EndSignal) => Promise<LargeWriteAnswer>;
  readonly remove: (work: LargeDeletion, signal: EndSignal) => Promise<void>;
  /** @returns whether the object was written */
  readonly rewrite: (work: LargeRewrite, signal: EndSignal) => Promise<boolean>;
  /** @returns JSON of each object */
  readonly convert: (work: LargeConversion, signal: EndSignal) => Promise<readonly Uint8Array[]>;
  readonly render: (work: LargeRendering) => unknown;
  /** Answers on the next turn of the worker's event loop. */
  readonly ping: (nothing: undefined) => void;
};

/** One value for one series of a metric. */
export interface Observation {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Calls that the main thread offers to a worker. */
export type MainThreadCalls = OfferedStores &
  OfferedReaders &
  OfferedWebhooks & {
    readonly authorize: (attributes: Attributes) => Decision | Promise<Decision>;
    /** Refusal to dial the address of a conversion webhook. */
    readonly dialRefusal: (at: {
      readonly host: string;
      readonly port: number;
    }) => string | undefined | Promise<string | undefined>;
    readonly heldBy: (asked: { readonly user: UserInfo; readonly namespace: string }) => HeldRules | Promise<HeldRules>;
    /** Undefined when the definition is not served any more. */
    readonly definition: (of: GroupResource) => FoundDefinition | undefined;
    readonly observed: (observations: readonly Observation[]) => void;
  };

/** Carries out expensive writes. */
export interface LargeWrites {
  write(work: LargeWrite, signal: EndSignal): Promise<LargeWriteAnswer>;
  remove(work: LargeDeletion, signal: EndSignal): Promise<void>;
}
