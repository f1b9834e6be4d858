// Every identifier with the product's name, in one of two vocabularies. Created at the start according to
// `--vocabulary`. Files outside this folder contain no such names.
import * as groups from "./groups";
import type { IdentifierTable } from "./identifier-table";
import * as identities from "./identities";
import * as metadataKeys from "./metadata-keys";
import * as surroundings from "./surroundings";

export type VocabularyName = "orch" | "kubernetes";
export const VOCABULARY_NAMES: readonly VocabularyName[] = ["orch", "kubernetes"];

const KINDS = {
  /** API groups by a short id. Groups without the product's name (core, apps, batch, …) are their own ids. */
  groups: groups.GROUPS,
  schemaExtensions: groups.SCHEMA_EXTENSIONS,
  schemaProtoNames: groups.SCHEMA_PROTO_NAMES,
  schemaFormats: groups.SCHEMA_FORMATS,
  openapiModelPrefixes: groups.OPENAPI_MODEL_PREFIXES,
  openapiText: groups.OPENAPI_TEXT,
  protobufPackagePrefixes: groups.PROTOBUF_PACKAGE_PREFIXES,
  labels: metadataKeys.LABELS,
  labelValues: metadataKeys.LABEL_VALUES,
  annotations: metadataKeys.ANNOTATIONS,
  annotationValues: metadataKeys.ANNOTATION_VALUES,
  taints: metadataKeys.TAINTS,
  finalizers: metadataKeys.FINALIZERS,
  conditionTypes: metadataKeys.CONDITION_TYPES,
  secretTypes: metadataKeys.SECRET_TYPES,
  resourceNames: metadataKeys.RESOURCE_NAMES,
  controllerReporters: metadataKeys.CONTROLLER_REPORTERS,
  signers: identities.SIGNERS,
  users: identities.USERS,
  userGroups: identities.USER_GROUPS,
  rbacNames: identities.RBAC_NAMES,
  flowSchemas: identities.FLOW_SCHEMAS,
  fieldManagers: identities.FIELD_MANAGERS,
  userAgents: identities.USER_AGENTS,
  jwtClaims: identities.JWT_CLAIMS,
  userExtraKeys: identities.USER_EXTRA_KEYS,
  auditAnnotations: identities.AUDIT_ANNOTATIONS,
  authorizerNames: identities.AUTHORIZER_NAMES,
  mediaTypes: surroundings.MEDIA_TYPES,
  headers: surroundings.HEADERS,
  subprotocols: surroundings.SUBPROTOCOLS,
  namespaces: surroundings.NAMESPACES,
  objectNames: surroundings.OBJECT_NAMES,
  dnsNames: surroundings.DNS_NAMES,
  metricsNames: surroundings.METRICS_NAMES,
  healthChecks: surroundings.HEALTH_CHECKS,
  /** Prefixes of encrypted values in the store. */
  storedMarks: surroundings.STORED_MARKS,
  mountPaths: surroundings.MOUNT_PATHS,
  environment: surroundings.ENVIRONMENT,
  programs: surroundings.PROGRAMS,
  /** Option names with their leading dashes. */
  flags: surroundings.FLAGS,
  hostPaths: surroundings.HOST_PATHS,
} as const satisfies { readonly [kind: string]: IdentifierTable };

type Kinds = typeof KINDS;

export type Vocabulary = { readonly name: VocabularyName } & {
  readonly [Kind in keyof Kinds]: { readonly [Id in keyof Kinds[Kind]]: string };
};

const made = new Map<VocabularyName, Vocabulary>();

/**
 * Returns the vocabulary of a name, always the same frozen object. The names of a kind are gathered at their first use:
 * a command uses few of the forty kinds, and all of them would take 3 ms of its start.
 */
export function vocabularyOf(name: VocabularyName): Vocabulary {
  const known = made.get(name);
  if (known !== undefined) return known;
  const column = name === "orch" ? 0 : 1;
  const kinds = Object.entries<IdentifierTable>(KINDS).map(([kind, table]): [string, PropertyDescriptor] => {
    let names: Readonly<Record<string, string>> | undefined;
    return [
      kind,
      {
        enumerable: true,
        get: () => {
          names ??= Object.freeze(Object.fromEntries(Object.entries(table).map(([id, row]) => [id, row[column]])));
          return names;
        },
      },
    ];
  });
  const vocabulary = Object.freeze(Object.defineProperties({ name }, Object.fromEntries(kinds))) as Vocabulary;
  made.set(name, vocabulary);
  return vocabulary;
}

/** Returns the published name of a group by its id; the id itself for groups without the product's name. */
export function groupName(vocabulary: Vocabulary, id: string): string {
  return id === "core" ? "" : ((vocabulary.groups as Readonly<Record<string, string>>)[id] ?? id);
}

/** Memoizes `make` by vocabulary and release for this process. */
export function onceForRelease<Release extends string | undefined, Made>(
  make: (vocabulary: Vocabulary, release: Release) => Made,
): (vocabulary: Vocabulary, release: Release) => Made {
  const made = new WeakMap<Vocabulary, Map<Release, Made>>();
  return (vocabulary, release) => {
    const ofReleases = made.get(vocabulary) ?? new Map<Release, Made>();
    made.set(vocabulary, ofReleases);
    const known = ofReleases.get(release) ?? make(vocabulary, release);
    ofReleases.set(release, known);
    return known;
  };
}
