// Rules and fields that depend on the release: the tables in testdata/releases, run through the definition of the kind
// at each release.
import { expect, test } from "@jest/globals";
import { type FieldError, field } from "@orch/machinery";
import { groupName, type JsonObject, type JsonValue, loadSchema, vocabularyOf } from "@orch/schema";
import { type ReleaseCase, releaseCases } from "../testing/release-cases";
import { changed } from "../testing/rule-cases";
import { createRun, type RuleRun, updateRun } from "../testing/rule-run";
import { definitionOf } from "./definitions";
import { EVERY_RESOURCE } from "./every-resource";

const vocabulary = vocabularyOf("orch");

test.each(releaseCases().map((row): [string, ReleaseCase] => [titleOf(row), row]))("%s", (_, row) => {
  const { object, errors, warnings } = outcomeOf(row);
  const texts = errors.map(field.fieldErrorText);
  if ("errors" in row.expects) {
    expect({ found: reasonsOf(errors), texts }).toEqual({ found: [...row.expects.errors].sort(), texts });
    return;
  }
  expect(texts).toEqual([]);
  if ("warnings" in row.expects) {
    const found = [...warnings].sort();
    const expected = [...row.expects.warnings].sort();
    expect(found.map((text, position) => text.slice(0, expected[position]?.length))).toEqual(expected);
    return;
  }
  const { values } = row.expects;
  expect(Object.fromEntries(Object.keys(values).map((pointer) => [pointer, valueAt(object, pointer)]))).toEqual(values);
});

function titleOf({ place, release, operation, changes, expects }: ReleaseCase): string {
  const expected = "errors" in expects ? expects.errors.join("; ") || "ok" : JSON.stringify(Object.values(expects)[0]);
  return `${place} ${release} ${operation} ${JSON.stringify(changes).slice(0, 90)}: ${expected.slice(0, 90)}`;
}

const reasonsOf = (errors: readonly FieldError[]): readonly string[] =>
  [
    ...new Set(
      errors.map((error) => {
        const reason = field.fieldErrorReason(error).replace("FieldValue", "");
        return `${error.path === "" ? '""' : error.path} ${reason}`;
      }),
    ),
  ].sort();

function outcomeOf({ release, base, operation, stored, changes }: ReleaseCase) {
  const run = runFor(base, release);
  if (operation === "create") return createRun(run, changed(base, changes));
  const before = changed(base, stored);
  return updateRun(run, operation, { before, after: changed(before, changes) });
}

/** Returns the value at a JSON pointer; null when it is absent. */
function valueAt(object: JsonObject, pointer: string): JsonValue {
  let at: JsonValue | undefined = object;
  for (const step of pointer.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return null;
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = Array.isArray(at) ? at[Number(name)] : at[name];
  }
  return at ?? null;
}

const runs = new Map<string, RuleRun>();

function runFor({ apiVersion, kind }: JsonObject, release: string): RuleRun {
  const key = `${release} ${String(apiVersion)} ${String(kind)}`;
  const run = runs.get(key) ?? findRun(String(apiVersion), String(kind), release);
  runs.set(key, run);
  return run;
}

function findRun(apiVersion: string, kind: string, release: string): RuleRun {
  const schema = loadSchema(vocabulary, release);
  for (const resource of EVERY_RESOURCE) {
    if (resource.kind !== kind) continue;
    const inGroup = resource.versions.some(({ group = resource.group, version }) => {
      const name = groupName(vocabulary, group);
      return apiVersion === (name === "" ? version : `${name}/${version}`);
    });
    const definition = inGroup ? definitionOf(resource, vocabulary, schema, release) : undefined;
    const version = definition?.versions.find((each) => each.apiVersion === apiVersion);
    if (definition !== undefined && version !== undefined) return { definition, version };
  }
  throw new Error(`${release} has no ${apiVersion} ${kind}`);
}
