// What the main thread and the side lane ask of each other. All of it is plain data.

import type { Attributes, Decision, HeldRules } from "@orch/auth";
import type { Definition, Names } from "@orch/extensions";
import type { ChangedPaths, GroupResource, ObjectToConvert, Status, UserInfo } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { DeleteOptions, ObjectKey } from "@orch/registry";
import type { VocabularyName } from "@orch/schema";
import type { OfferedReaders } from "../admission/lane-readers";
import type { PluginConfigurations } from "../admission/plugin-configurations";
import type { OfferedWebhooks } from "../admission/webhooks/lane-webhooks";
import type { SentObject } from "../audit/audit-event";
import type { ServerConfig } from "../flags/server-flags";
import type { AuditAnnotation } from "../pipeline/standing-notes";
import type { MadeOf } from "../representations/forms/object-form";
import type { Representation } from "../representations/representation";
import type { OfferedStores } from "./port-store";

/** With what a lane begins. */
export interface LaneStart {
  readonly config: ServerConfig;
  readonly vocabulary: VocabularyName;
  readonly configurations: PluginConfigurations;
}

/** By which definition a custom resource is served. One who knows another one of it, or none, asks for it. */
export interface DefinedBy extends GroupResource {
  /** Changes with the definition. */
  readonly key: string;
  readonly terminating: boolean;
}

/** What leads to an object. */
export interface LaneRoute {
  /** See `Route.path`. */
  readonly route: string;
  /** Absent: it is built in. */
  readonly definedBy?: DefinedBy;
}

export interface FoundDefinition {
  readonly key: string;
  readonly definition: Definition;
  readonly names: Names;
}

/** A write whose body, or whose object, is large. It has been authenticated, authorized, and read. */
export interface LaneWrite extends LaneRoute {
  readonly method: string;
  readonly url: string;
  readonly httpVersionMajor: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  readonly user: UserInfo;
  /** As in `Audit-Id`. */
  readonly id: string;
  readonly pretty: boolean;
  readonly tellsChanges: boolean;
  /** What is told to the client already. */
  readonly warnings: readonly string[];
  /** How long it may take, milliseconds. */
  readonly timeoutMs: number;
}

/** The deletion of one of many objects. */
export interface LaneDeletion extends LaneRoute {
  readonly key: ObjectKey;
  readonly options: DeleteOptions;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly pathName: string;
}

/** A whole answer, and what else the request's context has learned. */
export interface LaneAnswer {
  readonly code: number;
  /** Names and values in turn. */
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

/** An object that lies in the store in a former form. */
export interface LaneRewrite extends LaneRoute {
  readonly key: ObjectKey;
}

/** One stored object in a form that takes long to make. */
export interface LaneRendering extends LaneRoute {
  readonly representation: Representation;
  readonly indented: boolean;
  readonly what: MadeOf;
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly resourceVersion: number;
  /** As stored; see resource-form.ts. */
  readonly stored: Uint8Array;
}

/** Objects that somebody else is to bring into another version. */
export interface LaneConversion extends LaneRoute {
  /** `<group>/<version>`, served or not. */
  readonly to: string;
  readonly objects: readonly ObjectToConvert[];
}

/** What the lane offers. */
export type LaneOffers = {
  readonly write: (work: LaneWrite, signal: EndSignal) => Promise<LaneAnswer>;
  readonly remove: (work: LaneDeletion, signal: EndSignal) => Promise<void>;
  /** @returns whether it was written */
  readonly rewrite: (work: LaneRewrite, signal: EndSignal) => Promise<boolean>;
  /** @returns JSON of each */
  readonly convert: (work: LaneConversion, signal: EndSignal) => Promise<readonly Uint8Array[]>;
  readonly render: (work: LaneRendering) => unknown;
  /** Answers as soon as the lane's loop turns. */
  readonly ping: (nothing: undefined) => void;
};

/** One value for one series of a metric. */
export interface Observation {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What the main thread offers to the lane. */
export type MainOffers = OfferedStores &
  OfferedReaders &
  OfferedWebhooks & {
    readonly authorize: (attributes: Attributes) => Decision | Promise<Decision>;
    /** Of the places to which conversion webhooks lead. */
    readonly dialRefusal: (at: {
      readonly host: string;
      readonly port: number;
    }) => string | undefined | Promise<string | undefined>;
    readonly heldBy: (asked: { readonly user: UserInfo; readonly namespace: string }) => HeldRules | Promise<HeldRules>;
    /** Undefined: it is served no more. */
    readonly definition: (of: GroupResource) => FoundDefinition | undefined;
    readonly observed: (observations: readonly Observation[]) => void;
  };

/** Where writes that take long are carried out. */
export interface LargeWrites {
  write(work: LaneWrite, signal: EndSignal): Promise<LaneAnswer>;
  remove(work: LaneDeletion, signal: EndSignal): Promise<void>;
}
