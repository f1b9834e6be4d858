import { expect, test } from "@jest/globals";
import { featuresOf } from "@orch/apis-model";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { dropOptionalOldSelf } from "./definition-rule-fields";

const definitionOf = (rule: JsonObject): JsonObject => ({
  spec: {
    versions: [{ schema: { openAPIV3Schema: { properties: { a: { items: { "x-orch-validations": [rule] } } } } } }],
  },
});
const WITH = { rule: "true", optionalOldSelf: true };
const WITHOUT = { rule: "true" };

test.each<[release: string, old: JsonObject | undefined, expected: JsonObject]>([
  ["1.27", undefined, WITH],
  ["1.28", undefined, WITHOUT],
  ["1.29", WITHOUT, WITHOUT],
  ["1.29", WITH, WITH],
  ["1.30", WITHOUT, WITH],
])(
  "a definition at %s loses optionalOldSelf where the gate is off and the stored one has none: %j",
  (release, old, expected) => {
    const definition = definitionOf({ ...WITH });
    dropOptionalOldSelf(definition, old && definitionOf(old), {
      vocabulary: vocabularyOf("orch"),
      features: featuresOf(release, {}),
      request: undefined,
    });
    expect(definition).toEqual(definitionOf(expected));
  },
);
