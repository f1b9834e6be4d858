// Validates `metadata` with the rules common to all kinds. All violations are collected. Source:
// staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go.
import type { JsonObject, Vocabulary } from "@orch/schema";
import { FOREGROUND, ORPHAN } from "../deletion/dependents-finalizers";
import { type FieldError, forbidden, immutable, invalid, required } from "../errors/field-error";
import { child, index } from "../errors/field-path";
import { parseApiVersion } from "../names/group-names";
import {
  label1035Errors,
  label1123Errors,
  NAME_RULES,
  type NameRule,
  qualifiedNameErrors,
} from "../names/name-formats";
import { annotationErrors, labelErrors } from "../objects/label-validation";
import { metaOf, type ObjectMeta, type OwnerReference } from "../objects/object-meta";
import { fieldManagerErrors } from "../requests/field-manager";
import type { Scope } from "./resource-definition";

/** Rules of a kind for its metadata. */
export interface MetadataRules {
  readonly scope: Scope;
  readonly nameErrors: NameRule;
  /** Finalizers that need no prefix. Absent: any qualified name is allowed. */
  readonly standardFinalizers?: ReadonlySet<string>;
}

/** Returns the unprefixed finalizers that core kinds allow. */
export const standardFinalizers = (vocabulary: Vocabulary): ReadonlySet<string> =>
  new Set([vocabulary.finalizers.product, ORPHAN, FOREGROUND]);

/** Validates the metadata of a new object, after its name was generated if requested. */
export function metadataErrors(object: JsonObject, rules: MetadataRules): readonly FieldError[] {
  const meta = metaOf(object);
  return together(identityErrors(meta, rules.nameErrors, rules), contentErrors(meta, rules));
}

/**
 * Validates the metadata of an update. The name's format is checked only as a path segment, because names are
 * immutable.
 */
export function metadataUpdateErrors(next: JsonObject, old: JsonObject, rules: MetadataRules): readonly FieldError[] {
  const meta = metaOf(next);
  const before = metaOf(old);
  return together(
    identityErrors(meta, NAME_RULES.pathSegment, rules),
    contentErrors(meta, rules),
    newFinalizerErrors(meta, before),
    versionErrors(meta, before),
    immutableErrors(meta, before),
  );
}

const NONE: readonly FieldError[] = [];

/** Concatenates lists of errors. Allocates nothing in the common case of no errors. */
function together(...lists: readonly (readonly FieldError[])[]): readonly FieldError[] {
  let found = NONE;
  for (const list of lists) if (list.length > 0) found = found.length === 0 ? list : [...found, ...list];
  return found;
}

function immutableErrors(meta: ObjectMeta, before: ObjectMeta): readonly FieldError[] {
  let found = NONE;
  for (const field of IMMUTABLE) {
    if (!same(meta[field], before[field])) found = [...found, immutable(at(field), meta[field] ?? null)];
  }
  return found;
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

/** Compares values; absent, null and "" are equal. */
const same = (a: string | number | null | undefined, b: string | number | null | undefined): boolean =>
  a === b || ((a ?? "") === "" && (b ?? "") === "");

function identityErrors(meta: ObjectMeta, ofKind: NameRule, { scope }: MetadataRules): readonly FieldError[] {
  const { name = "", generateName = "", clusterName = "" } = meta;
  return together(
    generateName === "" ? NONE : breaches("generateName", generateName, ofKind(generateName, true)),
    name === "" ? [required(at("name"), "name or generateName is required")] : nameErrors(name, ofKind),
    namespaceErrors(meta.namespace ?? "", scope),
    clusterName === "" ? NONE : breaches("clusterName", clusterName, label1035Errors(clusterName)),
  );
}

/** Validates a name. Names are part of URL paths and store keys, so names of every kind must also be path segments. */
function nameErrors(name: string, ofKind: NameRule): readonly FieldError[] {
  const found = ofKind(name, false);
  return breaches("name", name, found.length > 0 ? found : NAME_RULES.pathSegment(name, false));
}

function namespaceErrors(namespace: string, scope: Scope): readonly FieldError[] {
  if (scope === "Cluster") return namespace === "" ? NONE : [forbidden(at("namespace"), "not allowed on this type")];
  return namespace === "" ? [required(at("namespace"))] : breaches("namespace", namespace, label1123Errors(namespace));
}

function contentErrors(meta: ObjectMeta, rules: MetadataRules): readonly FieldError[] {
  const { generation = 0, labels, annotations, ownerReferences, finalizers, managedFields } = meta;
  return together(
    generation < 0 ? [invalid(at("generation"), generation, "must be greater than or equal to 0")] : NONE,
    labels ? labelErrors(labels, at("labels")) : NONE,
    annotations ? annotationErrors(annotations, at("annotations")) : NONE,
    ownerReferences ? ownerErrors(ownerReferences) : NONE,
    finalizers ? finalizerErrors(finalizers, rules) : NONE,
    managedFields ? managedFieldsErrors(managedFields) : NONE,
  );
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

/** Validates that an unprefixed finalizer is a standard one. */
export function unknownFinalizerErrors(path: string, name: string, standard: ReadonlySet<string>): FieldError[] {
  if (name.includes("/") || standard.has(name)) return [];
  return [invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

function managedFieldsErrors(entries: NonNullable<ObjectMeta["managedFields"]>): readonly FieldError[] {
  return entries.flatMap(entryErrors);
}

function entryErrors({
  manager = "",
  operation = "",
  fieldsType = "",
}: NonNullable<ObjectMeta["managedFields"]>[number]): readonly FieldError[] {
  const path = at("managedFields");
  return together(
    operation === "Apply" || operation === "Update"
      ? NONE
      : [invalid(child(path, "operation"), operation, "must be `Apply` or `Update`")],
    fieldsType === "" || fieldsType === "FieldsV1"
      ? NONE
      : [invalid(child(path, "fieldsType"), fieldsType, "must be `FieldsV1`")],
    fieldManagerErrors(manager, at("fieldManager")),
  );
}

function newFinalizerErrors(meta: ObjectMeta, before: ObjectMeta): readonly FieldError[] {
  if (!before.deletionTimestamp) return NONE;
  const known = new Set(before.finalizers);
  const added = (meta.finalizers ?? []).filter((name) => !known.has(name));
  if (added.length === 0) return NONE;
  return [
    forbidden(
      at("finalizers"),
      `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`,
    ),
  ];
}

function versionErrors(meta: ObjectMeta, before: ObjectMeta): readonly FieldError[] {
  const { resourceVersion = "", generation = 0 } = meta;
  return together(
    resourceVersion === ""
      ? [invalid(at("resourceVersion"), resourceVersion, "must be specified for an update")]
      : NONE,
    generation < (before.generation ?? 0) ? [invalid(at("generation"), generation, "must not be decremented")] : NONE,
  );
}

const breaches = (field: string, value: string, texts: readonly string[]): readonly FieldError[] =>
  texts.length === 0 ? NONE : texts.map((text) => invalid(at(field), value, text));
