// What a resource is, as data: built-in resources are constants, custom resources are compiled from their definition objects, and
// both go through the same verbs. Source: architecture, "One resource model".
import type { JsonObject, JsonValue, ObjectType } from "@orch/schema";
import type { DeletionRules } from "../deletion";
import type { FieldError } from "../errors/field-error";
import type { UserInfo } from "../requests/user-info";
import type { SelectableField } from "../selectors/selectable-field";
import type { Claims } from "./claims";
import type { GroupVersion } from "./group-names";
import type { Lifecycle } from "./lifecycle";

export type Scope = "Namespaced" | "Cluster";

export type ResourceVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One group version under which the objects of a resource are served. */
export interface ServedVersion {
  /** Published group, "" for core. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** `v1` or `group/version`. */
  readonly apiVersion: string;
  readonly type: ObjectType;
  /** Release of first and last service; see the lifecycle facts. Absent: always. */
  readonly lifecycle?: Lifecycle;
  /** What clients of the version are told, of one that is deprecated whatever the release. */
  readonly deprecationWarning?: string;
  /** Whether the release that is served is the first one that serves it: older ones go before it still. */
  readonly isNew?: boolean;
  /** Field labels that selectors of this version may use, where not all of the definition's. */
  readonly fieldLabels?: readonly string[];
  /** What tables show of objects asked for in this version, where that is not what the definition says. */
  readonly columns?: readonly TableColumn[];
  /** Whether deleting through this version leaves dependents alone, unless the request says otherwise. */
  readonly orphansDependents?: boolean;
  /** Pure; absent when the shapes are the same and only `apiVersion` and `kind` differ. The argument may be changed and returned. */
  readonly toStorage?: (object: JsonObject) => JsonObject;
  readonly fromStorage?: (object: JsonObject) => JsonObject;
  /**
   * To and from the hub's shape, in which a resource's rules and admission see its objects: the one that can say all that any version
   * says. Pure; absent when the shapes are the same. The argument may be changed and returned.
   */
  readonly toHub?: (object: JsonObject) => JsonObject;
  readonly fromHub?: (object: JsonObject) => JsonObject;
}

/**
 * Brings objects from one version into another where no function here can, because somebody else is asked. A definition that has one has no
 * functions of its own for that: its objects are kept in the version in which they are stored, and its rules see the storage version.
 */
export interface ObjectConverter {
  /**
   * @param objects one or more, all of the version `from`; the converter's to keep and change
   * @param signal aborted when nobody waits any more
   * @returns as many, in the same order, in the version `to`
   * @throws StatusError, for all of them; ManyValuesError where what they become is to be asked for `elsewhere`
   */
  convert(
    objects: readonly JsonObject[],
    versions: { readonly from: ServedVersion; readonly to: ServedVersion },
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]>;
  /** The same where it holds up nobody, for objects of many values. Absent: there is no such place. */
  readonly elsewhere?: ConverterElsewhere;
}

/**
 * @returns JSON of the objects in the version `to`, in the same order, checked and with its defaults
 * @throws StatusError, for all of them
 */
export type ConverterElsewhere = (
  objects: readonly ObjectToConvert[],
  versions: { readonly from: ServedVersion; readonly to: ServedVersion },
  signal: AbortSignal,
) => Promise<readonly Buffer[]>;

export interface ObjectToConvert {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly resourceVersion: number;
  /** As it is stored. */
  readonly stored: Buffer;
}

/** Something has become so large, or takes so long, that only another thread may go on with it. Nothing has been done yet. */
export class ManyValuesError extends Error {
  override readonly name = "ManyValuesError";
}

/**
 * What objects that an older release has stored may lack of what this one fills in. They are brought up to date when they are read, so
 * that nobody meets an object that is not complete. Source: facts, defaults.json "notes".
 */
export interface Completion {
  /** An object that has all of these is complete; most objects are told by this alone. */
  readonly members: readonly CompletedMember[];
  /** JSON text that only incomplete objects have. */
  readonly odd?: readonly string[];
  /** Changes the stored object in place, beside its type's defaults. */
  readonly complete?: (object: JsonObject) => void;
}

export interface CompletedMember {
  /** Its name, anywhere in the object. */
  readonly name: string;
  /** JSON text without which an object does not have it: `"type":"LoadBalancer"`. Absent: all should have it. */
  readonly of?: string;
}

export interface ResourceDefinition {
  /** Group of the storage version; names the key's first part ("core" for ""). */
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  /** Whether an object of the API defines it: what switches built-in versions on and off is not about it. Absent: no. */
  readonly isCustom?: true;
  /** Of all that it is made of: two with the same one are the same, on whatever replica. Absent: nobody knows, as of what is built in. */
  readonly contentKey?: string;
  /** Of all that decides how objects of what is built in are stored: with the resource's name it stands for the same in every process. */
  readonly builtInKey?: string;
  readonly verbs: readonly ResourceVerb[];
  /** Every group version that can be asked for, the most preferred first within each group. */
  readonly versions: readonly ServedVersion[];
  /** No longer, or not yet, asked for; but stored objects and the owners of their fields may still speak in them. */
  readonly formerVersions?: readonly ServedVersion[];
  /** One of `versions`. Objects are stored in it. */
  readonly storage: ServedVersion;
  /** Absent, as for all built-in kinds: `toStorage` and `fromStorage` of the versions say all, and nothing is waited for. */
  readonly converter?: ObjectConverter;
  readonly strategy: Strategy;
  /** Absent: its objects claim nothing for themselves alone. */
  readonly claims?: Claims;
  /** By the last part of the path, such as `status`. */
  readonly subresources: Readonly<Record<string, Subresource>>;
  /** What can be done to an object by creating something under its path, such as `eviction`. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** What leads out of the server to where an object runs, by the last part of the path, such as `exec`. */
  readonly connections?: Readonly<Record<string, Connection>>;
  /** Beyond metadata.name and metadata.namespace, by field label. */
  readonly selectableFields: Readonly<Record<string, SelectableField>>;
  /** Custom resources, whose types do not say how lists merge, take no strategic merge patches. Absent: true. */
  readonly strategicMerge?: boolean;
  /** Labels of those by which few objects out of many are often asked for: the cache keeps an index of each. None is read `through` something. */
  readonly indexedFields?: readonly string[];
  /** Absent: every release stores the same of an object. */
  readonly completion?: Completion;
  /**
   * Of a definition that has been another one: what an object that was stored under that is under this one. Asked once, when such an object
   * is first read. May change the object. Absent: all that is stored is as this one would store it.
   * @param version in which it is stored
   */
  readonly renew?: (object: JsonObject, version: ServedVersion) => JsonObject;
  /** Whether the server itself goes by these objects, and reads them whole: large ones are refused. Absent: it does not. */
  readonly readWhole?: true;
  /**
   * A body or a stored object of more bytes takes long to judge, however few values it has; what takes long in a shorter one its rules tell
   * by a ManyValuesError. Absent: it is the values that count.
   */
  readonly longBytes?: number;
  /**
   * What takes long of all that is needed to judge objects, made before the first one: between its steps the event loop has its turn.
   * @param through the request's version. @returns undefined where there is nothing to wait for
   */
  readonly prepare?: (through: GroupVersion) => Promise<void> | undefined;
  /** After so long without a change an object is gone. Absent: objects stay. */
  readonly lifetimeSeconds?: number;
  /** Whether the kind of a deletion's answer is the object itself rather than a Status. */
  readonly deleteReturnsObject: boolean;
  /** What tables show of an object. Absent: its name and when it was created. */
  readonly columns?: readonly TableColumn[];
  /** What a table's row says of its object beyond the cells. @param object in the storage version */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
}

/** Source: facts, table.md "columnDefinitions". */
export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `name` marks the column that identifies the object. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; more than 0 on demand. */
  readonly priority: number;
  /** @param object in the storage version; where the definition has a converter, in the one that is asked for. Left as it is */
  readonly cell: (object: JsonObject, at: TableTime) => JsonValue;
  /**
   * Of a cell that tells an age and nothing else: the time it counts from, RFC 3339. Such a cell is the text of `ageText`, and with this
   * the rest of the row need not be made again for it; any other cell that looks at the time makes its whole row costly.
   */
  readonly since?: (object: JsonObject) => string | null | undefined;
}

/** When a table is made: ages count up to it. */
export interface TableTime {
  readonly nowMs: number;
}

/** What the rules of a write may know of the request that causes it. */
export interface PrepareContext {
  readonly user: UserInfo;
  /** That the request speaks; the objects have the hub's shape whatever it is. */
  readonly version: GroupVersion;
  /** The time of the request, RFC 3339 in UTC with seconds. */
  readonly now: string;
}

/** The rules of a resource: pure functions over objects in the hub's shape. Source: facts, strategy.json. */
export interface Strategy {
  /** Whether a PUT of a missing object creates it. */
  readonly createOnUpdate: boolean;
  /** Whether a PUT without resourceVersion is taken. */
  readonly unconditionalUpdate: boolean;
  /** The format of `metadata.name`; returns the rule's sentence for each breach. */
  readonly nameErrors: (name: string, asPrefix: boolean) => readonly string[];
  /** Finalizers that need no prefix; absent: any qualified name will do. See `standardFinalizers`. */
  readonly standardFinalizers?: ReadonlySet<string>;
  /**
   * Changes the new object before validation: resets what clients may not set, sets the generation, … Runs once the object has its
   * name. May take parts of the old object as they are, without copying.
   */
  readonly prepareForCreate?: (object: JsonObject, context?: PrepareContext) => void;
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject, context?: PrepareContext) => void;
  /** On create and update alike; then `validateCreate` or `validateUpdate`. @param through the request's version: some rules have it */
  readonly validate?: (object: JsonObject, through: GroupVersion) => readonly FieldError[];
  readonly validateCreate?: (object: JsonObject, through: GroupVersion) => readonly FieldError[];
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, through: GroupVersion) => readonly FieldError[];
  /** Returns what the client is warned of on create and update, once the object is valid. */
  readonly warnings?: (object: JsonObject) => readonly string[];
  /** Absent: like most kinds. */
  readonly deletion?: DeletionRules;
}

/** A sub-resource that reads and writes (a part of) its parent. Others are handled by name in the server. */
export interface Subresource {
  readonly verbs: readonly ("get" | "update" | "patch")[];
  readonly prepareForUpdate: (object: JsonObject, old: JsonObject, context?: PrepareContext) => void;
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, through: GroupVersion) => readonly FieldError[];
  /** Absent: bodies and answers are the parent itself. */
  readonly view?: SubresourceView;
  /** Of another form, or of none (undefined), where the parent is asked for in some version. Absent: the same in all. */
  readonly through?: (parent: GroupVersion) => Subresource | undefined;
  /** Name of the feature gate without which requests are refused. */
  readonly gate?: string;
}

/** A sub-resource that is only ever created: its body asks for something to be done to the parent, and is forgotten. */
export interface Action {
  /** Kinds that bodies may be of where the parent is asked for in a version, the preferred first. Empty: not offered in it. */
  readonly bodies: (parent: GroupVersion) => readonly ServedVersion[];
  readonly validate?: (body: JsonObject, of: GroupVersion) => readonly FieldError[];
  /** What the answer is of; absent: a Status. */
  readonly answers?: ServedVersion;
  /** Writes into a body what absent fields hold. */
  readonly fill?: (body: JsonObject) => void;
  /** Bodies need not say what they are for, and nothing rests on it where they do. */
  readonly unnamed?: true;
}

/** A sub-resource whose requests are passed on. Source: facts, apiserver-hooks.md "Connect sub-resources". */
export interface Connection {
  /** As discovery tells them; requests are authorized by the verb of their method. */
  readonly verbs: readonly ("create" | "delete" | "get" | "patch" | "update")[];
  /** HTTP methods that are taken. */
  readonly methods: readonly string[];
  /** Whether a path may follow, which is the target's. */
  readonly takesPath: boolean;
  /** The kind that discovery shows. */
  readonly shows: ServedVersion;
  /** Kind of the options in the query. */
  readonly options: ServedVersion;
  /** Whether admission is asked, which sees the options; what is only read, such as a log, it does not see. */
  readonly connects: boolean;
}

/** An object of another kind that shows a part of its parent, and through which that part is changed. */
export interface SubresourceView {
  /** `toHub` and `fromHub`, where it has them, are about `shared`. */
  readonly version: ServedVersion;
  /** Where parents of other versions have views in other versions: that whose shape all of them share. */
  readonly shared?: ServedVersion;
  /** @param parent in the hub's shape, with its resource version; left as it is */
  readonly read: (parent: JsonObject) => JsonObject;
  /** Throws the StatusError that answers a get of a parent without the value that the view shows. Absent: every parent has it. */
  readonly requireValue?: (parent: JsonObject) => void;
  /** Marks in a view that its parent does not have the value, so that `validate` refuses a change that does not set it. */
  readonly markMissing?: (view: JsonObject, parent: JsonObject) => void;
  /** @param parent in the hub's shape */
  readonly write: (parent: JsonObject, view: JsonObject) => void;
  readonly validate: (view: JsonObject) => readonly FieldError[];
}
