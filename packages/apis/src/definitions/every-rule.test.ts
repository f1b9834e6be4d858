// Every rule of the tables in testdata/validation, run through the definition of its kind.
import { describe, expect, test } from "@jest/globals";
import { DEFAULT_RELEASES, type Features, featuresOf } from "@orch/apis-model";
import {
  type FieldError,
  field,
  metadataErrors,
  metadataUpdateErrors,
  type ResourceDefinition,
  type ServedVersion,
} from "@orch/machinery";
import { groupName, type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { changed, type RuleCase, ruleCases } from "../testing/rule-cases";
import { definitionOf } from "./definitions";
import { EVERY_RESOURCE } from "./every-resource";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const request = { user: { name: "ann", groups: [] }, now: "2024-05-01T12:00:00Z" };

const cases = ruleCases();
const objects = [...new Set(cases.map(({ object }) => object))];

describe.each(objects)("%s", (object) => {
  const rows = cases.filter((each) => each.object === object);
  test.each(rows.map((row): [string, RuleCase] => [titleOf(row), row]))("%s", (_, row) => {
    const errors = errorsOf(row);
    const found = [...new Set(errors.map((error) => `${error.path === "" ? '""' : error.path} ${reasonOf(error)}`))];
    const texts = errors.map(field.fieldErrorText);
    expect({ found: found.sort(), texts }).toEqual({ found: [...row.expects].sort(), texts });
    if (row.detail !== "") expect(texts.join("\n")).toContain(row.detail);
  });
});

function titleOf({ place, operation, changes, expects }: RuleCase): string {
  return `${place} ${operation} ${JSON.stringify(changes).slice(0, 100)}: ${expects.join("; ") || "ok"}`;
}

function reasonOf(error: FieldError): string {
  return field.fieldErrorReason(error).replace("FieldValue", "");
}

function errorsOf({ base, operation, stored, changes }: RuleCase): readonly FieldError[] {
  const { definition, version } = definitionFor(base);
  if (operation === "create") return creationErrors(definition, received(version, changed(base, changes)), version);
  const before = changed(base, stored);
  const old = existing(definition, received(version, before), before, version);
  const next = withIdentity(received(version, changed(before, changes)), old);
  return updateErrors(definition, operation, { next, old }, version);
}

/** Decodes and defaults a request body. */
function received(version: ServedVersion, body: JsonObject): JsonObject {
  const { value, problems } = version.type.decode(structuredClone(body));
  expect(problems).toEqual([]);
  version.type.applyDefaults(value);
  return version.toHub === undefined ? value : version.toHub(value);
}

function creationErrors(
  { scope, strategy }: ResourceDefinition,
  object: JsonObject,
  through: ServedVersion,
): readonly FieldError[] {
  nameUniquely(object);
  strategy.prepareForCreate?.(object, { ...request, version: through });
  return [
    ...metadataErrors(object, { scope, ...strategy }),
    ...(strategy.validate?.(object, through) ?? []),
    ...(strategy.validateCreate?.(object, through) ?? []),
  ];
}

function updateErrors(
  { scope, strategy, subresources }: ResourceDefinition,
  operation: string,
  { next, old }: { readonly next: JsonObject; readonly old: JsonObject },
  through: ServedVersion,
): readonly FieldError[] {
  const rules = operation === "update" ? strategy : subresources[operation];
  if (rules === undefined) throw new Error(`no sub-resource ${operation}`);
  rules.prepareForUpdate?.(next, old, { ...request, version: through });
  return [
    ...metadataUpdateErrors(next, old, { scope, ...strategy }),
    ...(operation === "update" ? (strategy.validate?.(next, through) ?? []) : []),
    ...(rules.validateUpdate?.(next, old, through) ?? []),
  ];
}

/** Sets the uid, as the server does before it prepares a new object. */
function nameUniquely(object: JsonObject): void {
  object["metadata"] = { ...(object["metadata"] as JsonObject), uid: "u-1" };
}

/** Returns the stored object: prepared, but with the status of the row. */
function existing(
  { strategy }: ResourceDefinition,
  object: JsonObject,
  body: JsonObject,
  through: ServedVersion,
): JsonObject {
  nameUniquely(object);
  strategy.prepareForCreate?.(object, { ...request, version: through });
  const metadata = object["metadata"] as JsonObject;
  object["metadata"] = { ...metadata, resourceVersion: "1", creationTimestamp: request.now };
  if (body["status"] !== undefined) object["status"] = structuredClone(body["status"]);
  return object;
}

function withIdentity(next: JsonObject, old: JsonObject): JsonObject {
  const { uid, resourceVersion, creationTimestamp } = old["metadata"] as JsonObject;
  next["metadata"] = {
    ...(next["metadata"] as JsonObject),
    uid: uid ?? "",
    resourceVersion: resourceVersion ?? "",
    creationTimestamp: creationTimestamp ?? "",
  };
  return next;
}

/** Features under which the rules of gated fields apply. */
const nothingDropped = (release: string): Features => ({ ...featuresOf(release), isOff: () => false });

const known = new Map<string, { readonly definition: ResourceDefinition; readonly version: ServedVersion }>();

function definitionFor({ apiVersion, kind }: JsonObject) {
  const key = `${apiVersion} ${kind}`;
  const found = known.get(key) ?? findDefinition(String(apiVersion), String(kind));
  known.set(key, found);
  return found;
}

function findDefinition(apiVersion: string, kind: string) {
  for (const resource of EVERY_RESOURCE) {
    if (resource.kind !== kind) continue;
    for (const { group = resource.group, version, introduced } of resource.versions) {
      const name = groupName(vocabulary, group);
      if (apiVersion !== (name === "" ? version : `${name}/${version}`)) continue;
      for (const release of [DEFAULT_RELEASES.orch, introduced ?? "1.16"]) {
        const definition = definitionOf(resource, vocabulary, schema, release, {
          features: nothingDropped(release),
          nowMs: () => Date.parse(request.now),
        });
        const served = definition?.versions.find((each) => each.apiVersion === apiVersion);
        if (definition !== undefined && served !== undefined) return { definition, version: served };
      }
    }
  }
  throw new Error(`no ${apiVersion} ${kind}`);
}
