// Every rule of the tables in testdata/validation, run through the definition of its kind.
import { describe, expect, test } from "@jest/globals";
import { type BuiltInResource, DEFAULT_RELEASES, type Features, featuresOf } from "@orch/apis-model";
import { type FieldError, field } from "@orch/machinery";
import { declaredFields, declaredTypes, groupName, type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { changed, type RuleCase, ruleCases } from "../testing/rule-cases";
import { createRun, NOW, type RuleRun, updateRun } from "../testing/rule-run";
import { definitionOf } from "./definitions";
import { EVERY_RESOURCE } from "./every-resource";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

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
  const run = definitionFor(base);
  if (operation === "create") return createRun(run, changed(base, changes)).errors;
  const before = changed(base, stored);
  return updateRun(run, operation, { before, after: changed(before, changes) }).errors;
}

/** Gates that declared rules ask for: some forbid a field while its gate is off. */
const ruled: ReadonlySet<string> = new Set(
  declaredTypes()
    .flatMap(([file, types]) => types.flatMap((type) => declaredFields(file, type) ?? []))
    .flatMap(({ rules = [] }) => rules.flatMap((rule) => (rule.is === "gate" ? [rule.gate] : []))),
);

/** Features under which the rules of gated fields apply. */
function nothingDropped(release: string, { rules: { gated = {} } }: BuiltInResource): Features {
  const { isOn, ...features } = featuresOf(release);
  const isOwn = (gate: string) => ruled.has(gate) && Object.hasOwn(gated, gate);
  return { ...features, isOn: (gate) => isOwn(gate) || isOn(gate), isOff: () => false };
}

const known = new Map<string, RuleRun>();

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
          features: nothingDropped(release, resource),
          nowMs: () => Date.parse(NOW),
        });
        const served = definition?.versions.find((each) => each.apiVersion === apiVersion);
        if (definition !== undefined && served !== undefined) return { definition, version: served };
      }
    }
  }
  throw new Error(`no ${apiVersion} ${kind}`);
}
