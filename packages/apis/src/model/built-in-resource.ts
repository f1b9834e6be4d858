// How a built-in resource is written down: plain data that names groups by their ids in the vocabulary, so that one table serves
// every vocabulary. `definitions.ts` turns it into what the server works with. Source: facts, schema `resources`, strategy.json.
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
import type { DefaultRules } from "./defaults/default-rules";
import type { Features } from "./features/features";
import type { FieldGate } from "./features/field-gates";
import type { GatedFields } from "./features/gated-fields";

export interface BuiltInResource {
  /** Id of the group that names the key in the store: that of the first of `versions`. */
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The kind in lower case where absent. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: Scope;
  /** While this feature is on, its versions are served from the first release on, however late they came; while it is off, none is. */
  readonly gate?: FieldGate;
  /** Nothing is stored under this name: requests are computed or checked by a handler of their own. */
  readonly virtual?: true;
  /** All eight where absent. */
  readonly verbs?: readonly ResourceVerb[];
  /** Those of them that older releases do not have. */
  readonly verbsIntroduced?: Readonly<Partial<Record<ResourceVerb, Release>>>;
  /**
   * Every group version that any release has had, the most preferred first: the first one that a release serves is the one it stores.
   * The first without a conversion is the hub, whose shape rules speak of and conversions go through.
   */
  readonly versions: readonly BuiltInVersion[];
  readonly rules: BuiltInRules;
  /** What absent fields hold, in every version that does not say otherwise, beside what the schema and defaults/ say of the types inside. */
  readonly defaults?: DefaultRules;
  /** What older releases did not store, beside gated defaults. */
  readonly completion?: (at: { readonly release: string; readonly features: Features }) => Completion;
  readonly subresources?: Readonly<Record<string, SubresourceRules | ScaleRules>>;
  /** Sub-resources that are only created, each with a handler in the server. */
  readonly actions?: Readonly<Record<string, ActionRules>>;
  /** Sub-resources that lead to where an object runs. */
  readonly connections?: Readonly<Record<string, ConnectionRules>>;
  /** Sub-resources that are known but have no handler yet: not served. */
  readonly laterSubresources?: Readonly<Record<string, LaterSubresource>>;
  /** Beyond metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, SelectableField>>;
  /** Labels of those that lists by an equality term find in an index. */
  readonly indexedFields?: readonly string[];
  /** See ResourceDefinition. */
  readonly readWhole?: true;
  /** See `ResourceDefinition.longBytes`. */
  readonly longBytes?: number;
  /** Whether objects are gone some time after their last change: `--event-ttl`. */
  readonly expires?: true;
  readonly deleteReturnsObject?: true;
  /** What tables show, read from the hub's shape; by vocabulary where labels or annotations say it. Absent: name and time of creation. */
  readonly columns?: readonly TableColumn[] | ((vocabulary: Vocabulary) => readonly TableColumn[]);
  readonly rowConditions?: (object: JsonObject) => readonly JsonObject[];
}

/** `1.23`. */
export type Release = `${number}.${number}`;

export interface BuiltInVersion {
  /** Id of the group where it is not the resource's own. */
  readonly group?: string;
  readonly version: string;
  /** First release that serves it; absent: all do. */
  readonly introduced?: Release;
  readonly deprecated?: Release;
  /** First release that does not serve it any more. */
  readonly removed?: Release;
  /** `group id/version` of what to use instead. */
  readonly replacement?: string;
  /** Absent: the shape is the hub's. `notYet`: it is not, and this server cannot convert it, so that it does not serve it. */
  readonly conversion?: Conversion | "notYet";
  readonly fieldLabels?: readonly string[];
  /** In place of the resource's. */
  readonly defaults?: DefaultRules;
  readonly orphansDependents?: true;
  /** There is no sub-resource for the status: it is written with the object. */
  readonly ownsStatus?: true;
}

/** Between a version's shape and the hub's. Both may change and return their argument, and leave `apiVersion` and `kind` alone. */
export interface Conversion {
  readonly toHub: (object: JsonObject, vocabulary: Vocabulary) => JsonObject;
  readonly fromHub: (object: JsonObject, vocabulary: Vocabulary) => JsonObject;
}

export const conversionOf = ({ conversion }: BuiltInVersion): Conversion | undefined =>
  conversion === "notYet" ? undefined : conversion;

/** Who writes, when, and how names are spelled. The request is absent where the server itself writes. */
export interface RuleContext {
  readonly vocabulary: Vocabulary;
  readonly features: Features;
  readonly request: PrepareContext | undefined;
}

export interface BuiltInRules {
  readonly nameFormat: NameFormat;
  /** Where the kind allows fewer characters than the format. */
  readonly nameMaxCharacters?: number;
  /** Whether finalizers without a prefix need not be standard ones. Default: false. */
  readonly anyFinalizer?: true;
  /** Whether a PUT of a missing object creates it. Default: false. */
  readonly createOnUpdate?: true;
  /** Whether a PUT without resourceVersion is taken. Default: true. */
  readonly unconditionalUpdate?: false;
  /** What `status` holds after create beyond its zero value, whatever the client sent. Absent: what the client sent. */
  readonly initialStatus?: FrozenObject;
  /** Parts that an update of the object itself cannot change. */
  readonly keepOnUpdate?: readonly FieldPath[];
  /** What is dropped while the feature that brought it is off. */
  readonly gated?: GatedFields;
  /** Parts whose change counts the generation up; it starts at 1. Absent: the generation is not maintained. */
  readonly generationFrom?: readonly FieldPath[];
  /** What tables cannot say; each runs after them. */
  readonly create?: (object: JsonObject, context: RuleContext) => void;
  readonly update?: (object: JsonObject, old: JsonObject, context: RuleContext) => void;
  /** Every broken rule of an object, on create and on update alike; metadata is checked elsewhere. */
  readonly validate?: (object: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** What an update may not change; runs beside `validate`. */
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** What only a new object must keep to; runs beside `validate`. */
  readonly validateCreate?: (object: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** What a client is warned of on create and update, in a sentence each that names the field. */
  readonly warnings?: (object: JsonObject, vocabulary: Vocabulary) => readonly string[];
  /** How its objects end, where not like most. */
  readonly deletion?: DeletionRules | ((vocabulary: Vocabulary) => DeletionRules);
}

/** What rules know of the server that they are for. */
export interface RuleSettings {
  readonly vocabulary: Vocabulary;
  readonly features: Features;
  /** Containers may not have all rights of their node. */
  readonly forbidsPrivileged?: boolean;
}

/** What validation may know beyond the objects. */
export interface ValidationContext extends Omit<RuleSettings, "features"> {
  /** Absent where no rule rests on one: of bodies that nothing stores. */
  readonly features?: Features;
  /** That of the request; the objects are in the storage version whatever it is. Published group, "" for core. */
  readonly version: GroupVersion;
}

/** Writes a part of the parent: everything that is not kept comes from the body. */
export interface SubresourceRules {
  /** get, update and patch where absent. */
  readonly verbs?: readonly ("get" | "update" | "patch")[];
  readonly keeps: readonly FieldPath[];
  /** All metadata stays as stored but managedFields. */
  readonly keepsMetadata?: true;
  readonly update?: (object: JsonObject, old: JsonObject, context: RuleContext) => void;
  /** Name of the feature gate without which requests are refused. */
  readonly gate?: string;
  /** In releases before `until`, bodies show one field of the parent's spec in a kind of its own, of the parent's version. */
  readonly former?: { readonly until: Release; readonly kind: string; readonly field: string };
  /** The only rules that run when the sub-resource is written. */
  readonly validateUpdate?: (object: JsonObject, old: JsonObject, context: ValidationContext) => readonly FieldError[];
}

/** Shows and sets the number of replicas that the parent wants. */
export interface ScaleRules {
  /** What `spec.selector` of the parent is: a map of labels, or a selector with expressions. */
  readonly scales: "labels" | "labelSelector";
}

export interface ActionRules {
  /** What a request's body may be, the preferred first. */
  readonly bodies: readonly ActionBody[];
  /** What the answer is of; absent: a Status. */
  readonly answers?: Pick<ActionBody, "group" | "version" | "kind">;
  readonly validate?: (body: JsonObject, context: ValidationContext) => readonly FieldError[];
  /** Writes into a body what absent fields hold. */
  readonly fill?: (body: JsonObject) => void;
  /** Bodies need not say what they are for, and nothing rests on it where they do. */
  readonly unnamed?: true;
}

export interface ActionBody {
  /** Id of the group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** First release that takes it; absent: all do. */
  readonly introduced?: Release;
  /** First release that does not take it any more. */
  readonly removed?: Release;
  /** `group id/version` of the parent to which alone it is sent. */
  readonly sentTo?: string;
}

/** What passes, and the kind of the options in the query; all of them are of core/v1. */
export type ConnectionRules =
  /** An answer, as of a read. */
  | { readonly passes: "text"; readonly options: string; readonly shows: string }
  /** Streams both ways, after an upgrade. */
  | { readonly passes: "streams"; readonly options: string }
  /** Any request, its path included. */
  | { readonly passes: "requests"; readonly options: string };

/** The kind that its bodies have, and what it can be asked. */
export interface LaterSubresource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** The kind through which replicas are set. */
export const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" } as const;
