// Tables of built-in resources: plain data that names groups by their ids in the vocabulary, so that one table serves
// every vocabulary. `definitions.ts` builds resource definitions from it.
import type {
  Completion,
  DeletionRules,
  FieldError,
  GroupVersion,
  NameFormat,
  PrepareContext,
  ResourceVerb,
  Scope,
  SelectableField,
  TableColumn,
} from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { FieldPath } from "../values/field-path";
import type { FrozenObject } from "../values/frozen-value";
import type { DefaultRules } from "./default-rules";
import type { Features } from "./features/features";
import type { FieldGate } from "./features/field-gates";
import type { GatedFields } from "./features/gated-fields";
import type { StrictFormats } from "./strict-format";

export interface BuiltInResource {
  /** Id of the group in the storage key: that of the first of `versions`. */
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Absent: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: Scope;
  /**
   * Feature gate of the resource. While it is enabled, the versions are served in every release; while it is disabled,
   * none is.
   */
  readonly gate?: FieldGate;
  /**
   * Feature gate that the versions need in addition to `--runtime-config`. Releases before the gate serve them without
   * it. Source: KEP-3136, "Beta APIs Are Off by Default".
   */
  readonly requiredGate?: FieldGate;
  /** Set when nothing is stored: a handler of its own answers the requests. */
  readonly virtual?: true;
  /** Absent: all eight. */
  readonly verbs?: readonly ResourceVerb[];
  /** Verbs that older releases do not have. */
  readonly verbsIntroduced?: Readonly<Partial<Record<ResourceVerb, Release>>>;
  /**
   * Group versions of all releases, the most preferred first; a release stores the first one that it serves. The first
   * without a conversion is the hub: rules use its shape, and conversions go through it.
   */
  readonly versions: readonly BuiltInVersion[];
  readonly rules: BuiltInRules;
  /** Defaults of every version that has none of its own, in addition to those of the schema and of defaults/. */
  readonly defaults?: DefaultRules;
  /** Fields that older releases did not store, in addition to gated defaults. */
  readonly completion?: (at: { readonly release: string; readonly features: Features }) => Completion;
  readonly subresources?: Readonly<Record<string, SubresourceRules | ScaleRules>>;
  /** Subresources that are only created, each with a handler in the server. */
  readonly actions?: Readonly<Record<string, ActionRules>>;
  /** Subresources that connect to the place where an object runs. */
  readonly connections?: Readonly<Record<string, ConnectionRules>>;
  /** Subresources that are known but have no handler yet. Not served. */
  readonly laterSubresources?: Readonly<Record<string, LaterSubresource>>;
  /** Field selectors in addition to metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, IntroducedField>>;
  /** Selectable fields whose equality terms are answered from an index. */
  readonly indexedFields?: readonly string[];
  /** See ResourceDefinition. */
  readonly readWhole?: true;
  /** See `ResourceDefinition.longBytes`. */
  readonly longBytes?: number;
  /** Whether objects expire after their last change: `--event-ttl`. */
  readonly expires?: true;
  readonly deleteReturnsObject?: true;
  /**
   * Printer columns, read from the hub version; a function when they depend on the vocabulary or on features. Absent:
   * name and creation time.
   */
  readonly columns?: readonly TableColumn[] | ((vocabulary: Vocabulary, features: Features) => readonly TableColumn[]);
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
}

/** Release such as `1.23`. */
export type Release = `${number}.${number}`;

/** A field selector. Releases before `introduced` reject its label. */
interface IntroducedField extends SelectableField {
  readonly introduced?: Release;
}

export interface BuiltInVersion {
  /** Id of the group when it is not the resource's own. */
  readonly group?: string;
  readonly version: string;
  /** First release that serves it; absent: all releases. */
  readonly introduced?: Release;
  readonly deprecated?: Release;
  /** Set when it is served by default although it is a beta version of 1.24 or later: it followed an older beta. */
  readonly onByDefault?: true;
  /** First release that no longer serves it. */
  readonly removed?: Release;
  /** Replacement as `group id/version`, followed by its kind when that is another one: `discovery/v1 EndpointSlice`. */
  readonly replacement?: string;
  /** Absent: the shape of the hub. */
  readonly conversion?: Conversion;
  readonly fieldLabels?: readonly string[];
  /** Replaces the resource's defaults. */
  readonly defaults?: DefaultRules;
  readonly orphansDependents?: true;
  /** Set when the declared rules of the version are in force for its own shape, instead of those of the hub. */
  readonly declares?: true;
  /** Set when there is no status subresource: the status is written with the object. */
  readonly ownsStatus?: true;
}

/**
 * Conversion between a version and the hub. Both functions may modify and return their argument, and leave `apiVersion`
 * and `kind` unchanged.
 */
export interface Conversion {
  readonly toHub: (object: JsonObject, vocabulary: Vocabulary) => JsonObject;
  readonly fromHub: (object: JsonObject, vocabulary: Vocabulary) => JsonObject;
  /** Adds invalid values that the hub type cannot hold, so that errors show them. Validation rejects the object. */
  readonly carryInvalid?: (object: JsonObject, hub: JsonObject) => void;
}

/** Context of a rule. The request is absent when the server itself writes. */
export interface RuleContext {
  readonly vocabulary: Vocabulary;
  readonly features: Features;
  readonly request: PrepareContext | undefined;
}

/** Context of the warnings about a valid object. */
export interface WarningContext {
  readonly vocabulary: Vocabulary;
  readonly features: Features;
  /** The stored object of an update; absent on create. */
  readonly old?: JsonObject | undefined;
}

export interface BuiltInRules {
  readonly nameFormat: NameFormat;
  /** Format of names while a feature gate is enabled. */
  readonly relaxedNames?: { readonly gate: FieldGate; readonly format: NameFormat };
  /** Maximum length of names when it is shorter than that of the format. */
  readonly nameMaxCharacters?: number;
  /** Whether finalizers without a prefix may be non-standard. Default: false. */
  readonly anyFinalizer?: true;
  /** Whether a PUT of a missing object creates it. Default: false. */
  readonly createOnUpdate?: true;
  /** Whether a PUT without resourceVersion is accepted. Default: true. */
  readonly unconditionalUpdate?: false;
  /**
   * Status after creation, in addition to its zero value, whatever the client sends. Absent: the status that the client
   * sends.
   */
  readonly initialStatus?: FrozenObject;
  /** Parts that an update of the object itself cannot change. */
  readonly keepOnUpdate?: readonly FieldPath[];
  /** Fields that are dropped while their feature gate is disabled. */
  readonly gated?: GatedFields;
  /** Parts whose change increments the generation, which starts at 1. Absent: the generation is not maintained. */
  readonly generationFrom?: readonly FieldPath[];
  /** Set when a change of a field whose feature gate is disabled increments the generation, though it is dropped. */
  readonly generationOfDropped?: true;
  /** Rules written as functions. They run after the tables. */
  readonly create?: (object: JsonObject, context: RuleContext) => void;
  readonly update?: (object: JsonObject, old: JsonObject, context: RuleContext) => void;
  /**
   * Set when the declared rules of proto/ are in force: those of the hub version and of versions that `declare`. They
   * report after the rules in code, or "first".
   */
  readonly declared?: true | "first";
  /** Returns all validation errors of an object, on create and update. Metadata is validated elsewhere. */
  readonly validate?: (object: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** Formats that newer releases restrict. An update may keep the values of the stored object. */
  readonly strictFormats?: StrictFormats;
  /** Returns the errors of an update. Runs in addition to `validate`. */
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** Returns the errors of a new object. Runs in addition to `validate`. */
  readonly validateCreate?: (object: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** Returns warnings for create and update, one sentence each that names the field. */
  readonly warnings?: (object: JsonObject, context: WarningContext) => readonly string[];
  /** Deletion rules when they differ from the usual ones. */
  readonly deletion?: DeletionRules | ((vocabulary: Vocabulary) => DeletionRules);
}

/** Server settings that rules depend on. */
export interface RuleSettings {
  readonly vocabulary: Vocabulary;
  readonly features: Features;
  /** Forbids privileged containers. */
  readonly forbidsPrivileged?: boolean;
  /** Clock, in milliseconds since the epoch. Absent: that of the system. */
  readonly nowMs?: () => number;
}

/** Context of validation. */
export interface ValidationContext extends Omit<RuleSettings, "features"> {
  /** Absent for bodies that are not stored, when no rule depends on a feature. */
  readonly features?: Features;
  /** Version of the request; objects are in the storage version regardless. Published group, "" for core. */
  readonly version: GroupVersion;
  /** The stored object that a change replaces: rules accept again what it already uses. Absent on create. */
  readonly stored?: JsonObject | undefined;
}

/** Subresource that writes a part of the parent: everything that is not kept comes from the body. */
export interface SubresourceRules {
  /** Absent: get, update and patch. */
  readonly verbs?: readonly ("get" | "update" | "patch")[];
  readonly keeps: readonly FieldPath[];
  /** Keeps all stored metadata except managedFields. */
  readonly keepsMetadata?: true;
  /** Fields of disabled features, which are dropped before `update`. */
  readonly gated?: GatedFields;
  readonly update?: (object: JsonObject, old: JsonObject, context: RuleContext) => void;
  /** Feature gate without which requests are refused. */
  readonly gate?: string;
  /** Releases before `until` show one field of the parent's spec as an object of this kind, in the parent's version. */
  readonly former?: { readonly until: Release; readonly kind: string; readonly field: string };
  /** Formats that newer releases restrict. */
  readonly strictFormats?: StrictFormats;
  /** Runs instead of the parent's rules when the subresource is written. */
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, context: ValidationContext) => readonly FieldError[];
}

/** Scale subresource: shows and sets the number of replicas. */
export interface ScaleRules {
  /** Type of the parent's `spec.selector`: a map of labels, or a label selector. */
  readonly scales: "labels" | "labelSelector";
}

export interface ActionRules {
  /** Accepted bodies, the preferred first. */
  readonly bodies: readonly ActionBody[];
  /** Kind of the response; absent: Status. */
  readonly answers?: Pick<ActionBody, "group" | "version" | "kind">;
  readonly validate?: (body: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** Sets the defaults of a body. */
  readonly fill?: (body: JsonObject) => void;
  /** Set when a body need not name its object, and a name has no effect. */
  readonly unnamed?: true;
}

export interface ActionBody {
  /** Id of the group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** First release that accepts it; absent: all releases. */
  readonly introduced?: Release;
  /** First release that no longer accepts it. */
  readonly removed?: Release;
  /** `group id/version` of the only parent that accepts it. */
  readonly sentTo?: string;
}

/** Transferred data, and the kind of the query options, which is in core/v1. */
export type ConnectionRules =
  /** A response, as for a read. */
  | { readonly passes: "text"; readonly options: string; readonly shows: string }
  /** Bidirectional streams after an upgrade. */
  | { readonly passes: "streams"; readonly options: string }
  /** Any request, including its path. */
  | { readonly passes: "requests"; readonly options: string };

/** Kind of the bodies, and the verbs. */
interface LaterSubresource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Kind of the scale subresource. */
export const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" } as const;
