// Builds resource definitions from the tables: names in one vocabulary, versions of one release, types loaded at first
// use.

import { ipAddressAllocations, type ServiceRanges, serviceAllocations, services, shownBy } from "@orch/apis-core";
import {
  type BuiltInResource,
  type BuiltInVersion,
  DEFAULT_RELEASES,
  type DefaultRules,
  type Features,
  type FieldGate,
  featuresOf,
  previousRelease,
  type RuleSettings,
  type SubresourceRules,
  servedEarly,
} from "@orch/apis-model";
import {
  apiVersionText,
  type Completion,
  compareReleases,
  type GroupVersion,
  isServed,
  type Lifecycle,
  type ResourceDefinition,
  type ResourceVerb,
  type ServedVersion,
  type Subresource,
} from "@orch/machinery";
import { groupName, type JsonObject, type ObjectType, type Schema, type Vocabulary } from "@orch/schema";
import { ipAddresses } from "../networking/ip-addresses";
import { actionOf } from "./action";
import { BodyVersion } from "./body-version";
import { connectionOf } from "./connection";
import { declaredValidation } from "./declared-validation";
import { DefaultingType } from "./defaulting-type";
import { EVERY_RESOURCE } from "./every-resource";
import { fieldView } from "./field-view";
import { fromStored } from "./hub-shape";
import { scaleOf } from "./scale";
import { strategyOf, subresourceOf } from "./strategy";

export interface BuiltInOptions {
  /** Release whose versions are served, such as `1.23`. */
  readonly release?: string;
  /** Oldest release that can read the stored versions. Default: the release before `release`. */
  readonly minCompatibility?: string;
  /** Reports whether a version that the release does not have yet is served. Default: none is. */
  readonly isServedAhead?: (group: string, version: string, resource: string) => boolean;
  /** Forbids privileged containers. Default: false. */
  readonly forbidsPrivileged?: boolean;
  /** Feature gates that differ from the defaults of the release. */
  readonly gates?: Readonly<Partial<Record<FieldGate, boolean>>>;
  /** Lifetime of events after their last change, in seconds. Absent: unlimited. */
  readonly eventLifetimeSeconds?: number;
  /** Address and port ranges of services. Absent: nothing is allocated. */
  readonly serviceRanges?: ServiceRanges | undefined;
}

/**
 * Returns the stored resources of a release with the versions that it serves, alpha versions included: see
 * `isEnabledByDefault`.
 */
export function builtInResources(
  vocabulary: Vocabulary,
  schema: Schema,
  options: BuiltInOptions = {},
): readonly ResourceDefinition[] {
  return definitions((resource) => resource.virtual === undefined, vocabulary, schema, options);
}

/**
 * Returns the resources of a release that are not stored. Each needs its own handler and must not be listed without
 * one.
 */
export function virtualResources(
  vocabulary: Vocabulary,
  schema: Schema,
  options: BuiltInOptions = {},
): readonly ResourceDefinition[] {
  return definitions((resource) => resource.virtual === true, vocabulary, schema, options);
}

function definitions(
  wanted: (resource: BuiltInResource) => boolean,
  vocabulary: Vocabulary,
  schema: Schema,
  {
    release = DEFAULT_RELEASES[vocabulary.name],
    serviceRanges,
    gates = {},
    forbidsPrivileged = false,
    eventLifetimeSeconds: lifetimeSeconds,
    minCompatibility,
    isServedAhead,
  }: BuiltInOptions,
): readonly ResourceDefinition[] {
  const features = featuresOf(release, gates);
  const serviceCidrs = features.isOn("MultiCIDRServiceAllocator") ? vocabulary : undefined;
  const allocations = (resource: BuiltInResource) => {
    if (serviceRanges === undefined) return {};
    if (resource === ipAddresses) return { allocations: ipAddressAllocations(vocabulary) };
    if (resource !== services) return {};
    return {
      allocations: serviceAllocations({ ranges: serviceRanges, shown: shownBy(release, features), serviceCidrs }),
    };
  };
  const lifetime = (resource: BuiltInResource) =>
    lifetimeSeconds !== undefined && resource.expires ? { lifetimeSeconds } : {};
  const builtInKey = JSON.stringify([vocabulary.name, release, gates]);
  return EVERY_RESOURCE.filter(wanted).flatMap((resource) => {
    const definition = definitionOf(resource, vocabulary, schema, release, {
      ...{ forbidsPrivileged, features, minCompatibility, isServedAhead },
    });
    return definition === undefined
      ? []
      : [{ ...definition, builtInKey, ...allocations(resource), ...lifetime(resource) }];
  });
}

type DefinitionOptions = Partial<Omit<RuleSettings, "vocabulary">> & {
  readonly [Option in "minCompatibility" | "isServedAhead"]?: BuiltInOptions[Option] | undefined;
};

/** Builds the definition of a resource. @returns undefined when the release serves no version of it */
export function definitionOf(
  given: BuiltInResource,
  vocabulary: Vocabulary,
  schema: Schema,
  release: string,
  {
    features = featuresOf(release),
    minCompatibility = previousRelease(release),
    isServedAhead = () => false,
    ...others
  }: DefinitionOptions = {},
): ResourceDefinition | undefined {
  const resource = switchedOn(given, features, release);
  if (resource === undefined) return undefined;
  const { versions } = resource;
  const isAhead = (each: BuiltInVersion) =>
    isServedAhead(groupName(vocabulary, each.group ?? resource.group), each.version, resource.plural);
  const stored = storedIn(versions, { release, minCompatibility }) ?? versions.find(isAhead);
  const hub = versions.find((each) => each.conversion === undefined);
  if (stored === undefined || hub === undefined) return undefined;
  const parts = { stored, hub, vocabulary, schema, release, features };
  const made = new Map(versions.map((each) => [each, new BuiltInServedVersion(resource, each, parts)]));
  const isServedNow = (each: BuiltInVersion) => isServed(each, release) || isAhead(each);
  const versionOf = (each: BuiltInVersion) => made.get(each) as ServedVersion;
  const rules = rulesOf(
    resource,
    { vocabulary, features, ...others },
    {
      ...{ schema, release, hub: versionOf(hub), parents: [hub, ...versions].map(versionOf) },
      others: versions.filter(({ declares }) => declares).map(versionOf),
    },
  );
  return {
    group: groupName(vocabulary, resource.group),
    plural: resource.plural,
    singular: resource.singular ?? resource.kind.toLowerCase(),
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    scope: resource.scope,
    ...(resource.readWhole && { readWhole: true }),
    ...(resource.longBytes !== undefined && { longBytes: resource.longBytes }),
    verbs: verbsOf(resource, release),
    ...connectionsOf(resource, schema),
    versions: versions.filter(isServedNow).map(versionOf),
    formerVersions: versions.filter((each) => !isServedNow(each)).map(versionOf),
    storage: versionOf(stored),
    ...rules,
    ...fromStored(readingsOf(resource, { vocabulary, release, features }), versionOf(stored)),
    ...completionOf(resource, stored, { release, features }),
    ...(resource.actions && {
      actions: Object.fromEntries(
        Object.entries(resource.actions).map(([name, action]) => [
          name,
          actionOf(action, { vocabulary, schema, release }),
        ]),
      ),
    }),
    ...indexOf(resource, versionOf(stored)),
    deleteReturnsObject: resource.deleteReturnsObject ?? false,
  };
}

/**
 * Applies the resource's feature gate. An enabled gate serves the resource in releases before its introduction, too.
 * @returns undefined while the gate is disabled
 */
function switchedOn(resource: BuiltInResource, features: Features, release: string): BuiltInResource | undefined {
  if (resource.gate === undefined) return resource;
  if (!features.isOn(resource.gate)) return undefined;
  return { ...resource, versions: resource.versions.map((version) => servedEarly(version, release)) };
}

/**
 * Returns the fields to complete in objects that older releases stored: gated defaults of the storage version, and the
 * resource's own.
 */
function completionOf(
  { defaults, completion }: BuiltInResource,
  stored: BuiltInVersion,
  at: { readonly release: string; readonly features: Features },
): { readonly completion?: Completion } {
  const gated = ((stored.defaults ?? defaults)?.gated ?? []).filter(({ gate }) => at.features.isOn(gate));
  const filled = gated.flatMap(({ fields = {}, fills = [] }) => [
    ...Object.keys(fields).map((path) => ({ name: path.slice(path.lastIndexOf(".") + 1) })),
    ...fills,
  ]);
  const more = completion?.(at);
  const members = [...filled, ...(more?.members ?? [])];
  return members.length === 0 && more === undefined ? {} : { completion: { ...more, members } };
}

/** Returns the indexed fields. Their paths are those of the hub version. */
function indexOf({ indexedFields }: BuiltInResource, { toHub }: ServedVersion) {
  if (indexedFields === undefined || toHub !== undefined) return {};
  return { indexedFields };
}

function connectionsOf({ connections }: BuiltInResource, schema: Schema) {
  if (connections === undefined) return {};
  const made = Object.entries(connections).map(([name, rules]) => [name, connectionOf(rules, schema)] as const);
  return { connections: Object.fromEntries(made) };
}

/**
 * Returns the storage version: the most preferred one that the oldest compatible release served too, so that a
 * downgrade can read it; for a new resource the most preferred one. Alpha versions are stored only when there is no
 * other. Source: Kubernetes documentation, "Kubernetes Deprecation Policy", rule 4b.
 */
function storedIn(
  versions: readonly BuiltInVersion[],
  { release, minCompatibility }: { readonly release: string; readonly minCompatibility: string },
): BuiltInVersion | undefined {
  const served = versions.filter((each) => isServed(each, release));
  const stable = served.filter(({ version }) => !version.includes("alpha"));
  const candidates = stable.length > 0 ? stable : served;
  return candidates.find((each) => isServed(each, minCompatibility)) ?? candidates[0];
}

/** Returns the rules that change objects, all in the shape of the hub version. */
function rulesOf(
  resource: BuiltInResource,
  settings: RuleSettings,
  of: {
    readonly schema: Schema;
    readonly release: string;
    readonly hub: ServedVersion;
    readonly others: readonly ServedVersion[];
    /** All versions, the hub first. */
    readonly parents: readonly ServedVersion[];
  },
) {
  const { schema, hub } = of;
  const ownsStatus = ownsStatusIn(resource, settings.vocabulary);
  const declared = resource.rules.declared && declaredValidation(of, settings);
  const strategy = strategyOf(resource.rules, { settings, hub, ownsStatus, declared });
  return {
    strategy,
    subresources: Object.fromEntries(
      Object.entries(resource.subresources ?? {}).map(([name, rules]) => [
        name,
        "scales" in rules
          ? scaleOf(rules, { strategy, settings, parents: of.parents }, schema)
          : exceptIn(name === "status" ? ownsStatus : never, {
              ...subresourceOf(rules, settings, declared),
              ...formerView(rules, of),
            }),
      ]),
    ),
  };
}

const never = () => false;

/** Returns whether a version writes the status together with the object. */
function ownsStatusIn(resource: BuiltInResource, vocabulary: Vocabulary): (version: GroupVersion) => boolean {
  const owners = resource.versions.filter((each) => each.ownsStatus === true);
  if (owners.length === 0) return never;
  const names = new Set(owners.map((each) => apiVersionText(groupVersionOf(resource, each, vocabulary))));
  return (version) => names.has(apiVersionText(version));
}

/** Restricts a subresource to the versions that have it. */
function exceptIn(isWithout: (version: GroupVersion) => boolean, subresource: Subresource): Subresource {
  if (isWithout === never) return subresource;
  return { ...subresource, through: (parent) => (isWithout(parent) ? undefined : subresource) };
}

/** Returns the rules that read objects, also in the shape of the hub version. */
function readingsOf(
  { columns, selectableFields = {}, rowConditions }: BuiltInResource,
  at: { readonly vocabulary: Vocabulary; readonly release: string; readonly features: Features },
) {
  const served = Object.entries(selectableFields).filter(
    ([, { introduced }]) => introduced === undefined || compareReleases(at.release, introduced) >= 0,
  );
  return {
    selectableFields: Object.fromEntries(served),
    ...(typeof columns === "function" ? { columns: columns(at.vocabulary, at.features) } : columns && { columns }),
    ...(rowConditions === undefined ? {} : { rowConditions }),
  };
}

/** Returns the view of a subresource that older releases show instead of the parent. */
function formerView(
  { former }: SubresourceRules,
  { schema, release, hub }: { readonly schema: Schema; readonly release: string; readonly hub: ServedVersion },
) {
  if (former === undefined || compareReleases(release, former.until) >= 0) return {};
  const { group, version } = hub;
  return { view: fieldView(schema, { group, version, kind: former.kind }, former.field) };
}

const ALL_VERBS = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
] as const satisfies readonly ResourceVerb[];

interface VersionParts {
  readonly stored: BuiltInVersion;
  readonly hub: BuiltInVersion;
  readonly vocabulary: Vocabulary;
  readonly schema: Schema;
  readonly release: string;
  readonly features: Features;
}

class BuiltInServedVersion implements ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly lifecycle: Lifecycle;
  readonly isNew: boolean;
  readonly fieldLabels?: readonly string[];
  readonly orphansDependents: boolean;
  readonly toStorage?: (object: JsonObject) => JsonObject;
  readonly fromStorage?: (object: JsonObject) => JsonObject;
  readonly toHub?: (object: JsonObject) => JsonObject;
  readonly fromHub?: (object: JsonObject) => JsonObject;
  private readonly schema: Schema;
  private readonly features: Features;
  private readonly defaults: DefaultRules | undefined;
  private defaultingType: ObjectType | undefined;

  constructor(
    resource: BuiltInResource,
    version: BuiltInVersion,
    { stored, hub, vocabulary, schema, release, features }: VersionParts,
  ) {
    const { group, version: name } = groupVersionOf(resource, version, vocabulary);
    this.group = group;
    this.version = name;
    this.kind = resource.kind;
    this.apiVersion = apiVersionText(this);
    this.lifecycle = lifecycleOf(resource, version, vocabulary);
    this.isNew = !isServed(version, previousRelease(release));
    if (version.fieldLabels !== undefined) this.fieldLabels = version.fieldLabels;
    this.orphansDependents = version.orphansDependents ?? false;
    this.schema = schema;
    this.features = features;
    this.defaults = version.defaults ?? resource.defaults;
    const ways = version.conversion;
    if (ways !== undefined) {
      // Decoding adds the fields that objects of the type always have, which a conversion need not set.
      const hubType = new BodyVersion(schema, { ...groupVersionOf(resource, hub, vocabulary), kind: resource.kind });
      this.toHub = (object) => {
        const hub = hubType.type.decode(ways.toHub(object, vocabulary)).value;
        ways.carryInvalid?.(object, hub);
        return hub;
      };
      this.fromHub = (object) => this.type.decode(ways.fromHub(object, vocabulary)).value;
    }
    if (version.conversion === stored.conversion) return;
    const toStorage = chain(version.conversion?.toHub, stored.conversion?.fromHub, vocabulary);
    const fromStorage = chain(stored.conversion?.toHub, version.conversion?.fromHub, vocabulary);
    if (toStorage !== undefined) this.toStorage = toStorage;
    if (fromStorage !== undefined) this.fromStorage = fromStorage;
  }

  /** Loaded at first use, so that a start does not load unused types. */
  get type(): ObjectType {
    if (this.defaultingType !== undefined) return this.defaultingType;
    const type = this.schema.objectType(this.group, this.version, this.kind);
    if (type === undefined) throw new Error(`the schema knows no ${this.apiVersion} ${this.kind}`);
    this.defaultingType = new DefaultingType(type, this.defaults, {
      vocabulary: this.schema.vocabulary,
      features: this.features,
    });
    return this.defaultingType;
  }
}

function groupVersionOf(resource: BuiltInResource, { group, version }: BuiltInVersion, vocabulary: Vocabulary) {
  return { group: groupName(vocabulary, group ?? resource.group), version };
}

function lifecycleOf(
  resource: BuiltInResource,
  { introduced, deprecated, removed, replacement }: BuiltInVersion,
  vocabulary: Vocabulary,
): Lifecycle {
  const [path = "", kind = resource.kind] = replacement?.split(" ") ?? [];
  const [group = "", version = ""] = path.split("/");
  return {
    ...(introduced === undefined ? {} : { introduced }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(removed === undefined ? {} : { removed }),
    ...(replacement === undefined
      ? {}
      : { replacement: `${apiVersionText({ group: groupName(vocabulary, group), version })} ${kind}` }),
  };
}

function verbsOf({ verbs = ALL_VERBS, verbsIntroduced = {} }: BuiltInResource, release: string) {
  return verbs.filter((verb) => {
    const introduced = verbsIntroduced[verb];
    return introduced === undefined || isServed({ introduced }, release);
  });
}

type Step = (object: JsonObject, vocabulary: Vocabulary) => JsonObject;

/** Composes two steps; an absent step changes nothing. */
function chain(first: Step | undefined, second: Step | undefined, vocabulary: Vocabulary) {
  if (first === undefined && second === undefined) return undefined;
  return (object: JsonObject): JsonObject => {
    const between = first === undefined ? object : first(object, vocabulary);
    return second === undefined ? between : second(between, vocabulary);
  };
}
