// Checks the tables against the published schema: every kind has its type, and the results of rules and conversions fit
// it.
import { describe, expect, test } from "@jest/globals";
import type { BuiltInResource } from "@orch/apis-model";
import type { ResourceDefinition } from "@orch/machinery";
import { groupName, type JsonObject, loadSchema, type ObjectType, VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";
import { builtInResources, virtualResources } from "./definitions/definitions";
import { EVERY_RESOURCE } from "./definitions/every-resource";

const RELEASES = ["1.16", "1.23", "1.37"];

describe.each(VOCABULARY_NAMES)("in the vocabulary %s", (name) => {
  const vocabulary = vocabularyOf(name);
  const schema = loadSchema(vocabulary);

  test.each(RELEASES)("every version that %s serves has its type", (release) => {
    for (const { kind, versions } of [
      ...builtInResources(vocabulary, schema, { release }),
      ...virtualResources(vocabulary, schema, { release }),
    ]) {
      for (const version of versions)
        expect([version.apiVersion, version.type.kind]).toEqual([version.apiVersion, kind]);
    }
  });
});

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const definitions = RELEASES.flatMap((release) =>
  builtInResources(vocabulary, schema, { release }).map((definition) => ({ release, definition })),
);

test.each(
  definitions.map(
    ({ release, definition }) => [definition.storage.apiVersion, definition.kind, release, definition] as const,
  ),
)("fields that %s %s sets on create in %s are declared by its type", (apiVersion, kind, _release, definition) => {
  const object: JsonObject = { apiVersion, kind, metadata: { name: "it" } };
  definition.strategy.prepareForCreate?.(object, {
    user: { name: "ann", groups: ["dev"] },
    version: definition.storage,
    now: "2024-05-01T12:00:00Z",
  });
  const set = structuredClone(object);
  const { value, problems } = hubTypeOf(definition).decode(object);
  expect(problems).toEqual([]);
  // A status set by rules is complete: it has all fields that are always encoded.
  if (set["status"] !== undefined) expect(set["status"]).toEqual(value["status"]);
});

test("kept and counted parts are fields of their kinds", () => {
  const misses = EVERY_RESOURCE.filter((resource) => resource.virtual === undefined).flatMap(unknownPaths);
  expect(misses).toEqual([]);
});

/** Returns the type of the hub version. */
function hubTypeOf({ group, plural, kind, storage }: ResourceDefinition): ObjectType {
  const resource: BuiltInResource | undefined = EVERY_RESOURCE.find(
    (each) => each.plural === plural && groupName(vocabulary, each.group) === group,
  );
  const hub = resource?.versions.find(({ conversion }) => conversion === undefined);
  const hubGroup = groupName(vocabulary, hub?.group ?? resource?.group ?? "");
  return schema.objectType(hubGroup, hub?.version ?? "", kind) ?? storage.type;
}

function unknownPaths(resource: BuiltInResource): string[] {
  const [definition] = resource.versions.flatMap(({ introduced = "1.23" }) =>
    builtInResources(vocabulary, schema, { release: introduced }).filter((each) => each.plural === resource.plural),
  );
  const { keepOnUpdate = [], generationFrom = [] } = resource.rules;
  const keeps = Object.values(resource.subresources ?? {}).flatMap((each) => ("keeps" in each ? each.keeps : []));
  return [...keepOnUpdate, ...generationFrom, ...keeps]
    .map((path) => path.split("."))
    .filter((names) => {
      const nested = names.reduceRight<JsonObject | null>((inner, field) => ({ [field]: inner }), null) as JsonObject;
      if (definition === undefined) return true;
      const probe = { apiVersion: definition.storage.apiVersion, kind: resource.kind, ...nested };
      return hubTypeOf(definition).decode(probe).problems.length > 0;
    })
    .map((names) => `${resource.plural} ${names.join(".")}`);
}
