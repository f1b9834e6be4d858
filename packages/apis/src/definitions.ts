// From the tables to what the server works with: names spelled in one vocabulary, versions of one release, types found when first used.
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
import { type ServiceRanges, serviceClaims } from "./core/services/service-allocation";
import { shownBy } from "./core/services/service-completion";
import { services } from "./core/services/services";
import { EVERY_RESOURCE } from "./every-resource";
import { actionOf } from "./model/action";
import { BodyVersion } from "./model/body-version";
import {
  type BuiltInResource,
  type BuiltInVersion,
  conversionOf,
  type RuleSettings,
  type SubresourceRules,
} from "./model/built-in-resource";
import { connectionOf } from "./model/connection";
import type { DefaultRules } from "./model/defaults/default-rules";
import { DefaultingType } from "./model/defaults/defaulting-type";
import { type Features, featuresOf } from "./model/features/features";
import type { FieldGate } from "./model/features/field-gates";
import { fieldView } from "./model/field-view";
import { fromStored } from "./model/hub-shape";
import { DEFAULT_RELEASE, isEnabledByDefault, previousRelease } from "./model/release";
import { scaleOf } from "./model/scale";
import { strategyOf, subresourceOf } from "./model/strategy";

export interface BuiltInOptions {
  /** The release whose versions are served, such as `1.23`. */
  readonly release?: string;
  /** Containers may not have all rights of their node. Default: they may. */
  readonly forbidsPrivileged?: boolean;
  /** Features that are switched otherwise than the release has them. */
  readonly gates?: Readonly<Partial<Record<FieldGate, boolean>>>;
  /** How long events stay after their last change. Absent: for ever. */
  readonly eventLifetimeSeconds?: number;
  /** What services are given. Absent: nothing. */
  readonly serviceRanges?: ServiceRanges | undefined;
}

/** The resources that a release stores, each with the versions that this release serves (alpha ones too: see `isEnabledByDefault`). */
export function builtInResources(
  vocabulary: Vocabulary,
  schema: Schema,
  options: BuiltInOptions = {},
): readonly ResourceDefinition[] {
  return definitions((resource) => resource.virtual === undefined, vocabulary, schema, options);
}

/** The resources of a release that store nothing; each needs a handler of its own, and is not to be listed before it has one. */
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
    release = DEFAULT_RELEASE,
    serviceRanges,
    gates = {},
    forbidsPrivileged = false,
    eventLifetimeSeconds: lifetimeSeconds,
  }: BuiltInOptions,
): readonly ResourceDefinition[] {
  const features = featuresOf(release, gates);
  const claims = (resource: BuiltInResource) =>
    serviceRanges !== undefined && resource === services
      ? { claims: serviceClaims(serviceRanges, shownBy(release, features)) }
      : {};
  const lifetime = (resource: BuiltInResource) =>
    lifetimeSeconds !== undefined && resource.expires ? { lifetimeSeconds } : {};
  const builtInKey = JSON.stringify([vocabulary.name, release, gates]);
  return EVERY_RESOURCE.filter(wanted).flatMap((resource) => {
    const definition = definitionOf(resource, vocabulary, schema, release, { forbidsPrivileged, features });
    return definition === undefined ? [] : [{ ...definition, builtInKey, ...claims(resource), ...lifetime(resource) }];
  });
}

/** @returns undefined where the release serves no version of the resource */
export function definitionOf(
  given: BuiltInResource,
  vocabulary: Vocabulary,
  schema: Schema,
  release: string,
  { features = featuresOf(release), ...others }: Partial<Omit<RuleSettings, "vocabulary">> = {},
): ResourceDefinition | undefined {
  const resource = switchedOn(given, features);
  if (resource === undefined) return undefined;
  const readable = resource.versions.filter((each) => each.conversion !== "notYet");
  const stored = storedIn(readable, release);
  const hub = readable.find((each) => each.conversion === undefined);
  if (stored === undefined || hub === undefined) return undefined;
  const parts = { stored, hub, vocabulary, schema, release, features };
  const made = new Map(readable.map((each) => [each, new BuiltInServedVersion(resource, each, parts)]));
  const isServedNow = (each: BuiltInVersion) => isServed(each, release);
  const versionOf = (each: BuiltInVersion) => made.get(each) as ServedVersion;
  const rules = rulesOf(resource, { vocabulary, features, ...others }, { schema, release, hub: versionOf(hub) });
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
    versions: readable.filter(isServedNow).map(versionOf),
    formerVersions: readable.filter((each) => !isServedNow(each)).map(versionOf),
    storage: versionOf(stored),
    ...rules,
    ...fromStored(readingsOf(resource, vocabulary), versionOf(stored)),
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

/** A resource that a feature brings does not wait for the release that would bring it. @returns undefined while the feature is off */
function switchedOn(resource: BuiltInResource, features: Features): BuiltInResource | undefined {
  if (resource.gate === undefined) return resource;
  if (!features.isOn(resource.gate)) return undefined;
  return { ...resource, versions: resource.versions.map(({ introduced: _later, ...version }) => version) };
}

/** What the stored version's defaults have filled since older releases, and what the resource says besides. */
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

/** The paths are those of the hub's shape. */
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
 * The most preferred version that the release before has served too, so that one can go back to it; of a resource that is new,
 * the most preferred of all. Source: resource-api, "Deprecation rules" 4b.
 */
function storedIn(versions: readonly BuiltInVersion[], release: string): BuiltInVersion | undefined {
  const served = versions.filter((each) => isServed(each, release));
  const enabled = served.filter((each) => isEnabledByDefault(each.version));
  const candidates = enabled.length > 0 ? enabled : served;
  return candidates.find((each) => isServed(each, previousRelease(release))) ?? candidates[0];
}

/** What changes objects, all of it in the hub's shape. */
function rulesOf(
  resource: BuiltInResource,
  settings: RuleSettings,
  of: { readonly schema: Schema; readonly release: string; readonly hub: ServedVersion },
) {
  const { schema, hub } = of;
  const ownsStatus = ownsStatusIn(resource, settings.vocabulary);
  const strategy = strategyOf(resource.rules, { settings, hub, ownsStatus });
  return {
    strategy,
    subresources: Object.fromEntries(
      Object.entries(resource.subresources ?? {}).map(([name, rules]) => [
        name,
        "scales" in rules
          ? scaleOf(rules, strategy, schema)
          : exceptIn(name === "status" ? ownsStatus : never, {
              ...subresourceOf(rules, settings),
              ...formerView(rules, of),
            }),
      ]),
    ),
  };
}

const never = () => false;

/** Whether a version writes an object and its status together. */
function ownsStatusIn(resource: BuiltInResource, vocabulary: Vocabulary): (version: GroupVersion) => boolean {
  const owners = resource.versions.filter((each) => each.ownsStatus === true);
  if (owners.length === 0) return never;
  const names = new Set(owners.map((each) => apiVersionText(groupVersionOf(resource, each, vocabulary))));
  return (version) => names.has(apiVersionText(version));
}

/** A sub-resource that some versions do not have. */
function exceptIn(isWithout: (version: GroupVersion) => boolean, subresource: Subresource): Subresource {
  if (isWithout === never) return subresource;
  return { ...subresource, through: (parent) => (isWithout(parent) ? undefined : subresource) };
}

/** What reads objects, in the hub's shape too. */
function readingsOf({ columns, selectableFields = {}, rowConditions }: BuiltInResource, vocabulary: Vocabulary) {
  return {
    selectableFields,
    ...(typeof columns === "function" ? { columns: columns(vocabulary) } : columns && { columns }),
    ...(rowConditions === undefined ? {} : { rowConditions }),
  };
}

/** What a sub-resource shows in place of its parent in old releases. */
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
    const ways = conversionOf(version);
    if (ways !== undefined) {
      // What a conversion makes need not have all fields in place that objects of a type have.
      const hubType = new BodyVersion(schema, { ...groupVersionOf(resource, hub, vocabulary), kind: resource.kind });
      this.toHub = (object) => hubType.type.decode(ways.toHub(object, vocabulary)).value;
      this.fromHub = (object) => this.type.decode(ways.fromHub(object, vocabulary)).value;
    }
    if (version.conversion === stored.conversion) return;
    const toStorage = chain(conversionOf(version)?.toHub, conversionOf(stored)?.fromHub, vocabulary);
    const fromStorage = chain(conversionOf(stored)?.toHub, conversionOf(version)?.fromHub, vocabulary);
    if (toStorage !== undefined) this.toStorage = toStorage;
    if (fromStorage !== undefined) this.fromStorage = fromStorage;
  }

  /** Found when first asked for, so that a start does not load types that nobody uses. */
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
  const [group = "", version = ""] = replacement?.split("/") ?? [];
  return {
    ...(introduced === undefined ? {} : { introduced }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(removed === undefined ? {} : { removed }),
    ...(replacement === undefined
      ? {}
      : { replacement: `${apiVersionText({ group: groupName(vocabulary, group), version })} ${resource.kind}` }),
  };
}

function verbsOf({ verbs = ALL_VERBS, verbsIntroduced = {} }: BuiltInResource, release: string) {
  return verbs.filter((verb) => {
    const introduced = verbsIntroduced[verb];
    return introduced === undefined || isServed({ introduced }, release);
  });
}

type Step = (object: JsonObject, vocabulary: Vocabulary) => JsonObject;

/** One step after the other; a step that is absent changes nothing. */
function chain(first: Step | undefined, second: Step | undefined, vocabulary: Vocabulary) {
  if (first === undefined && second === undefined) return undefined;
  return (object: JsonObject): JsonObject => {
    const between = first === undefined ? object : first(object, vocabulary);
    return second === undefined ? between : second(between, vocabulary);
  };
}
