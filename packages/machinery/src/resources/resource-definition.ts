// Resources as data: built-in resources are constants, custom resources are compiled from their
// CustomResourceDefinitions, and both are served by the same verbs.

import type { JsonObject, JsonValue, ObjectType } from "@orch/schema";
import type { FieldSet } from "../apply/field-set";
import type { ViewedField } from "../apply/view-owners";
import type { DeletionRules } from "../deletion/deletion-rules";
import type { FieldError } from "../errors/field-error";
import type { GroupVersion } from "../names/group-names";
import type { UserInfo } from "../requests/user-info";
import type { SelectableField } from "../selectors/selectable-field";
import type { Lifecycle } from "./lifecycle";
import type { UniqueAllocations } from "./unique-allocations";

export type Scope = "Namespaced" | "Cluster";

export type ResourceVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A group version in which the objects of a resource are served. */
export interface ServedVersion {
  /** API group, "" for core. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** `v1` or `group/version`. */
  readonly apiVersion: string;
  readonly type: ObjectType;
  /** Releases of first and last service. Absent: always served. */
  readonly lifecycle?: Lifecycle;
  /** Deprecation warning of a version that is deprecated in every release, as in custom resources. */
  readonly deprecationWarning?: string;
  /** Whether the emulated release is the first to serve the version: older versions are then still preferred. */
  readonly isNew?: boolean;
  /** Field labels that selectors of this version support, when they are not all of the definition's. */
  readonly fieldLabels?: readonly string[];
  /** Table columns of this version, when they differ from the definition's. */
  readonly columns?: readonly TableColumn[];
  /** Whether deletion through this version orphans dependents by default. */
  readonly orphansDependents?: boolean;
  /**
   * Converts to the storage version. Pure; absent when the shapes are equal and only `apiVersion` and `kind` differ.
   * The argument may be modified and returned.
   */
  readonly toStorage?: (object: JsonObject) => JsonObject;
  readonly fromStorage?: (object: JsonObject) => JsonObject;
  /**
   * Converts to and from the hub's shape, in which rules and admission see objects: the shape that can express every
   * version. Pure; absent when the shapes are equal. The argument may be modified and returned.
   */
  readonly toHub?: (object: JsonObject) => JsonObject;
  readonly fromHub?: (object: JsonObject) => JsonObject;
}

/**
 * Converter that calls an external service, such as a conversion webhook. A definition with a converter has no
 * conversion functions: its objects are kept in the version in which they are stored, and its rules see the storage
 * version.
 */
export interface ObjectConverter {
  /**
   * Converts objects.
   * @param objects one or more, all of the version `from`; owned by the converter, which may modify them
   * @param signal aborted when no caller waits any more
   * @returns the objects in the version `to`, in the same order
   * @throws StatusError for all of them; ManyValuesError when the caller must use `elsewhere` instead
   */
  convert(
    objects: readonly JsonObject[],
    versions: { readonly from: ServedVersion; readonly to: ServedVersion },
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]>;
  /** Converts objects with many values on another thread. Absent: no such thread exists. */
  readonly elsewhere?: WorkerConverter;
}

/**
 * Converts objects on another thread.
 * @returns JSON of the objects in the version `to`, in the same order, validated and with defaults
 * @throws StatusError for all of them
 */
export type WorkerConverter = (
  objects: readonly ObjectToConvert[],
  versions: { readonly from: ServedVersion; readonly to: ServedVersion },
  signal: AbortSignal,
) => Promise<readonly Buffer[]>;

export interface ObjectToConvert {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly resourceVersion: number;
  /** The stored bytes. */
  readonly stored: Buffer;
}

/**
 * Thrown before any work is done, when an object is so large, or takes so long, that only another thread may process
 * it.
 */
export class ManyValuesError extends Error {
  override readonly name = "ManyValuesError";
}

/**
 * Completes objects that an older release stored without fields that this one sets. They are completed on read, so that
 * no client sees an incomplete object.
 */
export interface Completion {
  /** An object that has all of these members is complete; this check suffices for most objects. */
  readonly members: readonly CompletedMember[];
  /** JSON texts that only incomplete objects contain. */
  readonly odd?: readonly string[];
  /** Completes a stored object in place, in addition to its type's defaults. */
  readonly complete?: (object: JsonObject) => void;
}

export interface CompletedMember {
  /** Member name, anywhere in the object. */
  readonly name: string;
  /** JSON text that marks the objects that need the member: `"type":"LoadBalancer"`. Absent: all objects need it. */
  readonly of?: string;
}

export interface ResourceDefinition {
  /** Group of the storage version; first segment of the store key ("core" for ""). */
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  /**
   * Whether the resource is defined by a CustomResourceDefinition; the switches for built-in versions do not apply to
   * it. Absent: no.
   */
  readonly isCustom?: true;
  /** Key of the definition's content: equal on all replicas for equal definitions. Absent for built-in resources. */
  readonly contentKey?: string;
  /**
   * Key of everything that decides how objects of a built-in resource are stored: together with the resource's name it
   * identifies the same definition in every process.
   */
  readonly builtInKey?: string;
  readonly verbs: readonly ResourceVerb[];
  /** Served group versions, the preferred one first within each group. */
  readonly versions: readonly ServedVersion[];
  /** Versions that are no longer, or not yet, served, but that stored objects and managedFields may use. */
  readonly formerVersions?: readonly ServedVersion[];
  /** Storage version; one of `versions`. */
  readonly storage: ServedVersion;
  /**
   * Absent for all built-in resources: the conversion functions of the versions suffice, and conversion is synchronous.
   */
  readonly converter?: ObjectConverter;
  readonly strategy: Strategy;
  /** Absent: objects of the resource hold no allocations. */
  readonly allocations?: UniqueAllocations;
  /** Subresources by the last segment of the path, such as `status`. */
  readonly subresources: Readonly<Record<string, Subresource>>;
  /** Subresources that are only created, such as `eviction`, by the last segment of the path. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** Subresources that open a connection, such as `exec`, by the last segment of the path. */
  readonly connections?: Readonly<Record<string, Connection>>;
  /** Selectable fields by field label, in addition to metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, SelectableField>>;
  /**
   * Whether strategic merge patches are supported. Custom resources, whose types do not define how lists merge, do not
   * support them. Absent: true.
   */
  readonly strategicMerge?: boolean;
  /**
   * Labels of the fields that are often selected with few matches: the watch cache keeps an index of each. None of them
   * is read with `through`.
   */
  readonly indexedFields?: readonly string[];
  /** Absent: every release stores the same form of an object. */
  readonly completion?: Completion;
  /**
   * Updates an object that was stored under an earlier form of the definition. Called once, when such an object is
   * first read. May modify the object. Absent: stored objects need no update.
   * @param version version in which the object is stored
   */
  readonly renew?: (object: JsonObject, version: ServedVersion) => JsonObject;
  /** Whether the server itself uses these objects and reads them whole: large ones are then refused. Absent: no. */
  readonly readWhole?: true;
  /**
   * Size in bytes above which a body or stored object takes long to validate, however few values it has. For smaller
   * objects the rules throw a ManyValuesError when they take long. Absent: only the number of values counts.
   */
  readonly longBytes?: number;
  /**
   * Prepares what is needed to validate objects and takes long to create. Runs before the first object, and yields to
   * the event loop between its steps.
   * @param through version of the request
   * @returns undefined when there is nothing to wait for
   */
  readonly prepare?: (through: GroupVersion) => Promise<void> | undefined;
  /** Seconds after its last change at which an object expires. Absent: objects do not expire. */
  readonly lifetimeSeconds?: number;
  /** Whether a deletion returns the object rather than a Status. */
  readonly deleteReturnsObject: boolean;
  /** Table columns. Absent: name and creation time. */
  readonly columns?: readonly TableColumn[];
  /**
   * Conditions of a table row.
   * @param object in the storage version
   */
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
}

/** Column of a table. Source: TableColumnDefinition in staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go. */
export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** `name` marks the column that identifies the object. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more than 0 only in wide output. */
  readonly priority: number;
  /**
   * Returns the value of a cell.
   * @param object in the storage version, or in the requested version when the definition has a converter; not modified
   */
  readonly cell: (object: JsonObject, at: TableTime) => JsonValue;
  /**
   * Start time, in RFC 3339, of a cell that shows only an age. The cell's text is that of `ageText`, and the rest of
   * the row is reused when the age changes. Any other cell that reads the time causes its row to be rendered each time.
   */
  readonly since?: (object: JsonObject) => string | null | undefined;
}

/** Time at which a table is rendered, for ages. */
export interface TableTime {
  readonly nowMs: number;
}

/** The parts of a request that the rules of a write may use. */
export interface PrepareContext {
  readonly user: UserInfo;
  /** Version of the request; the objects have the hub's shape in any case. */
  readonly version: GroupVersion;
  /** Time of the request: RFC 3339 in UTC with whole seconds. */
  readonly now: string;
}

/**
 * Validates an update.
 * @param warn called with a warning for the client, also when the update is refused; not called twice with one text
 */
type UpdateValidation = (
  object: JsonObject,
  old: JsonObject,
  through: GroupVersion,
  warn?: (text: string) => void,
) => readonly FieldError[];

/**
 * Rules of a resource: pure functions on objects in the hub's shape. Same role as the strategies in
 * staging/src/k8s.io/apiserver/pkg/registry/rest.
 */
export interface Strategy {
  /** Whether a PUT of a missing object creates it. */
  readonly createOnUpdate: boolean;
  /** Whether a PUT without resourceVersion is allowed. */
  readonly unconditionalUpdate: boolean;
  /** Validates `metadata.name`; returns one sentence per violation. */
  readonly nameErrors: (name: string, asPrefix: boolean) => readonly string[];
  /** Finalizers that need no prefix; absent: any qualified name is allowed. See `standardFinalizers`. */
  readonly standardFinalizers?: ReadonlySet<string>;
  /**
   * Prepares a new object before validation: resets fields that clients may not set, sets the generation, and so on.
   * Runs after the object has its name. May share parts of the old object without copying.
   */
  readonly prepareForCreate?: (object: JsonObject, context?: PrepareContext) => void;
  readonly prepareForUpdate?: (object: JsonObject, old: JsonObject, context?: PrepareContext) => void;
  /**
   * Returns the fields that writes of the object through a version reset, such as the status. Their managers do not
   * own them. Same role as `GetResetFields` in staging/src/k8s.io/apiserver/pkg/registry/rest/rest.go.
   */
  readonly resets?: (through: GroupVersion) => FieldSet | undefined;
  /**
   * Validates on create and update, before `validateCreate` or `validateUpdate`.
   * @param through version of the request, which some rules depend on
   */
  /** @param stored the object that a change replaces; absent on create */
  readonly validate?: (object: JsonObject, through: GroupVersion, stored?: JsonObject) => readonly FieldError[];
  readonly validateCreate?: (object: JsonObject, through: GroupVersion) => readonly FieldError[];
  readonly validateUpdate?: UpdateValidation;
  /**
   * Returns the warnings for the client on create and update. Called with a valid object.
   * @param old the stored object; absent on create
   */
  readonly warnings?: (object: JsonObject, old?: JsonObject) => readonly string[];
  /** Absent: default deletion. */
  readonly deletion?: DeletionRules;
}

/** A subresource that reads and writes (a part of) its parent. Other subresources are handled by name in the server. */
export interface Subresource {
  readonly verbs: readonly ("get" | "update" | "patch")[];
  readonly prepareForUpdate: (object: JsonObject, old: JsonObject, context?: PrepareContext) => void;
  readonly validateUpdate?: UpdateValidation;
  /** Fields that writes of the subresource reset. See `Strategy.resets`. */
  readonly resets?: FieldSet;
  /** Absent: bodies and responses are the parent itself. */
  readonly view?: SubresourceView;
  /**
   * Returns the form of the subresource for a version of its parent, or undefined when that version has none. Absent:
   * the same in all versions.
   */
  readonly through?: (parent: GroupVersion) => Subresource | undefined;
  /** Name of the feature gate without which requests are refused. */
  readonly gate?: string;
}

/** A subresource that is only created: its body requests an operation on the parent, and is not stored. */
export interface Action {
  /**
   * Returns the kinds of bodies accepted for a version of the parent, the preferred one first. Empty: not served in
   * that version.
   */
  readonly bodies: (parent: GroupVersion) => readonly ServedVersion[];
  readonly validate?: (body: JsonObject, of: GroupVersion) => readonly FieldError[];
  /** Kind of the response; absent: a Status. */
  readonly answers?: ServedVersion;
  /** Sets the defaults of a body. */
  readonly fill?: (body: JsonObject) => void;
  /** Bodies need not name their target; the name is ignored when present, unless it must be the same. */
  readonly unnamed?: true | "orSame";
}

/**
 * A subresource whose requests are forwarded, such as exec, log and proxy. Same role as `Connecter` in
 * staging/src/k8s.io/apiserver/pkg/registry/rest/rest.go.
 */
export interface Connection {
  /** Verbs in discovery; requests are authorized by the verb of their method. */
  readonly verbs: readonly ("create" | "delete" | "get" | "patch" | "update")[];
  /** Accepted HTTP methods. */
  readonly methods: readonly string[];
  /** Whether a path for the target may follow. */
  readonly takesPath: boolean;
  /** Kind in discovery. */
  readonly shows: ServedVersion;
  /** Kind of the options in the query. */
  readonly options: ServedVersion;
  /**
   * Whether admission reviews requests, with the options as object. Read-only requests, such as log, are not reviewed.
   */
  readonly connects: boolean;
}

/** An object of another kind that shows a part of its parent, such as Scale, and through which that part is changed. */
export interface SubresourceView {
  /** Its `toHub` and `fromHub`, if any, convert to and from `shared`. */
  readonly version: ServedVersion;
  /** The version whose shape all views share, when parents of different versions have views of different versions. */
  readonly shared?: ServedVersion;
  /**
   * Returns the view.
   * @param parent in the hub's shape, with its resource version; not modified
   */
  readonly read: (parent: JsonObject) => JsonObject;
  /**
   * Throws the StatusError for a get of a parent without the value that the view shows. Absent: every parent has it.
   */
  readonly requireValue?: (parent: JsonObject) => void;
  /** Marks a view whose parent lacks the value, so that `validate` refuses an update that does not set it. */
  readonly markMissing?: (view: JsonObject, parent: JsonObject) => void;
  /**
   * Writes the view to its parent.
   * @param parent in the hub's shape
   */
  readonly write: (parent: JsonObject, view: JsonObject) => void;
  readonly validate: (view: JsonObject) => readonly FieldError[];
  /**
   * The field of the parent whose owners the view tracks. Absent: changes through the view leave managedFields
   * unchanged, and the view cannot be applied.
   */
  readonly field?: ViewedField;
  /** Columns of the view in a table. Absent: name and creation time. */
  readonly columns?: readonly TableColumn[];
}
