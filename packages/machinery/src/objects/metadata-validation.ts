// The rules of `metadata`, the same for every kind. All breaches are collected.
// Source: facts, validation/_common.md "ObjectMeta (create and update)" and "ObjectMeta update".
import type { JsonObject, Vocabulary } from "@orch/schema";
import { FOREGROUND, ORPHAN } from "../deletion/dependents-finalizers";
import { type FieldError, forbidden, immutable, invalid, required } from "../errors/field-error";
import { fieldManagerErrors } from "../requests/field-manager";
import { parseApiVersion } from "../resources/group-names";
import type { Scope } from "../resources/resource-definition";
import { child, index } from "./field-path";
import { annotationErrors, labelErrors } from "./label-validation";
import { label1035Errors, label1123Errors, NAME_RULES, type NameRule, qualifiedNameErrors } from "./name-formats";
import { metaOf, type ObjectMeta, type OwnerReference } from "./object-meta";

/** What a kind asks of its metadata beyond the rules for all. */
export interface MetadataRules {
  readonly scope: Scope;
  readonly nameErrors: NameRule;
  /** The finalizers that need no prefix. Absent: any qualified name will do. */
  readonly standardFinalizers?: ReadonlySet<string>;
}

/** The finalizers without prefix that kinds of the core package take. */
export const standardFinalizers = (vocabulary: Vocabulary): ReadonlySet<string> =>
  new Set([vocabulary.finalizers.product, ORPHAN, FOREGROUND]);

/** The metadata of a new object, its name assigned already if it was to be generated. */
export function metadataErrors(object: JsonObject, rules: MetadataRules): readonly FieldError[] {
  const meta = metaOf(object);
  return [...identityErrors(meta, rules), ...contentErrors(meta, rules)];
}

/** The metadata of the next state of an object. A name that does not change is not measured by its format again. */
export function metadataUpdateErrors(next: JsonObject, old: JsonObject, rules: MetadataRules): readonly FieldError[] {
  const meta = metaOf(next);
  const before = metaOf(old);
  return [
    ...identityErrors(meta, { ...rules, nameErrors: NAME_RULES.pathSegment }),
    ...contentErrors(meta, rules),
    ...newFinalizerErrors(meta, before),
    ...versionErrors(meta, before),
    ...IMMUTABLE.filter((field) => !same(meta[field], before[field])).map((field) =>
      immutable(at(field), meta[field] ?? null),
    ),
  ];
}

const IMMUTABLE = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "clusterName",
] as const satisfies readonly (keyof ObjectMeta)[];

const at = (field: string): string => `metadata.${field}`;

/** Absent, null and "" are the same on the wire. */
const same = (a: string | number | null | undefined, b: string | number | null | undefined): boolean =>
  a === b || ((a ?? "") === "" && (b ?? "") === "");

function identityErrors(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  const { name = "", generateName = "", clusterName = "" } = meta;
  return [
    ...(generateName === "" ? [] : breaches("generateName", generateName, rules.nameErrors(generateName, true))),
    ...(name === "" ? [required(at("name"), "name or generateName is required")] : nameErrors(name, rules)),
    ...namespaceErrors(meta.namespace ?? "", rules.scope),
    ...(clusterName === "" ? [] : breaches("clusterName", clusterName, label1035Errors(clusterName))),
  ];
}

/** Names stand in paths and keys, so that every kind's must be a path segment as well. */
function nameErrors(name: string, rules: MetadataRules): FieldError[] {
  const ofKind = rules.nameErrors(name, false);
  return breaches("name", name, ofKind.length > 0 ? ofKind : NAME_RULES.pathSegment(name, false));
}

function namespaceErrors(namespace: string, scope: Scope): FieldError[] {
  if (scope === "Cluster") return namespace === "" ? [] : [forbidden(at("namespace"), "not allowed on this type")];
  return namespace === "" ? [required(at("namespace"))] : breaches("namespace", namespace, label1123Errors(namespace));
}

function contentErrors(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  const { generation = 0, labels, annotations, ownerReferences, finalizers, managedFields } = meta;
  return [
    ...(generation < 0 ? [invalid(at("generation"), generation, "must be greater than or equal to 0")] : []),
    ...(labels ? labelErrors(labels, at("labels")) : []),
    ...(annotations ? annotationErrors(annotations, at("annotations")) : []),
    ...(ownerReferences ? ownerErrors(ownerReferences) : []),
    ...(finalizers ? finalizerErrors(finalizers, rules) : []),
    ...(managedFields ? managedFieldsErrors(managedFields) : []),
  ];
}

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const controllers = owners.filter(({ controller }) => controller === true);
  return [
    ...owners.flatMap((owner, position) => ownerReferenceErrors(owner, index(at("ownerReferences"), position))),
    ...(controllers.length <= 1
      ? []
      : [
          invalid(
            at("ownerReferences"),
            owners,
            `only one reference can have controller set to true, found it in those to ${controllers.map(ownerText).join(" and ")}`,
          ),
        ]),
  ];
}

const ownerText = ({ kind = "", name = "" }: OwnerReference): string => `${kind}/${name}`;

function ownerReferenceErrors(owner: OwnerReference, path: string): FieldError[] {
  const { apiVersion = "", kind = "" } = owner;
  const hasVersion = parseApiVersion(apiVersion) !== undefined;
  const emptyErrors = (["kind", "name", "uid"] as const)
    .filter((field) => (owner[field] ?? "") === "")
    .map((field) => invalid(child(path, field), "", `${field} must not be empty`));
  return [
    ...(hasVersion ? [] : [invalid(child(path, "apiVersion"), apiVersion, "version must not be empty")]),
    ...emptyErrors,
    ...(apiVersion === "v1" && kind === "Event"
      ? [invalid(path, owner, "an Event of v1 is disallowed from being an owner")]
      : []),
  ];
}

function finalizerErrors(finalizers: readonly string[], rules: MetadataRules): FieldError[] {
  const { standardFinalizers: standard } = rules;
  const path = at("finalizers");
  return [
    ...finalizers.flatMap((name) => breaches("finalizers", name, qualifiedNameErrors(name))),
    ...(finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)
      ? [invalid(path, finalizers, `${ORPHAN} and ${FOREGROUND} cannot be set together`)]
      : []),
    ...(standard === undefined
      ? []
      : finalizers.flatMap((name, position) => unknownFinalizerErrors(index(path, position), name, standard))),
  ];
}

/** A name without a prefix is one of the standard ones. */
export function unknownFinalizerErrors(path: string, name: string, standard: ReadonlySet<string>): FieldError[] {
  if (name.includes("/") || standard.has(name)) return [];
  return [invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

function managedFieldsErrors(entries: NonNullable<ObjectMeta["managedFields"]>): FieldError[] {
  const path = at("managedFields");
  return entries.flatMap(({ manager = "", operation = "", fieldsType = "" }) => [
    ...(operation === "Apply" || operation === "Update"
      ? []
      : [invalid(child(path, "operation"), operation, "must be `Apply` or `Update`")]),
    ...(fieldsType === "" || fieldsType === "FieldsV1"
      ? []
      : [invalid(child(path, "fieldsType"), fieldsType, "must be `FieldsV1`")]),
    ...fieldManagerErrors(manager, at("fieldManager")),
  ]);
}

function newFinalizerErrors(meta: ObjectMeta, before: ObjectMeta): FieldError[] {
  if (!before.deletionTimestamp) return [];
  const known = new Set(before.finalizers);
  const added = (meta.finalizers ?? []).filter((name) => !known.has(name));
  if (added.length === 0) return [];
  return [
    forbidden(
      at("finalizers"),
      `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`,
    ),
  ];
}

function versionErrors(meta: ObjectMeta, before: ObjectMeta): FieldError[] {
  const { resourceVersion = "", generation = 0 } = meta;
  return [
    ...(resourceVersion === ""
      ? [invalid(at("resourceVersion"), resourceVersion, "must be specified for an update")]
      : []),
    ...(generation < (before.generation ?? 0)
      ? [invalid(at("generation"), generation, "must not be decremented")]
      : []),
  ];
}

const breaches = (field: string, value: string, texts: readonly string[]): FieldError[] =>
  texts.map((text) => invalid(at(field), value, text));
