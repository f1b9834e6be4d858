import { describe, expect, test } from "@jest/globals";
import { field } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { virtualResources } from "../definitions/definitions";

const vocabulary = vocabularyOf("orch");
const definitions = virtualResources(vocabulary, loadSchema(vocabulary));

function errorsOf(kind: string, object: JsonObject): readonly string[] {
  const definition = definitions.find((each) => each.kind === kind);
  if (definition === undefined) throw new Error(`no ${kind}`);
  const { value } = definition.storage.type.decode(object);
  const errors = definition.strategy.validate?.(value, definition.storage) ?? [];
  return errors.map((error) => `${error.path} ${field.fieldErrorReason(error).replace("FieldValue", "")}`);
}

const pods = { verb: "get", resource: "pods", namespace: "ns" };
const path = { verb: "get", path: "/healthz" };

describe.each([
  ["SubjectAccessReview", {}],
  ["LocalSubjectAccessReview", { namespace: "ns" }],
])("a %s", (kind, metadata) => {
  const isLocal = kind.startsWith("Local");
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ["about a user is fine", metadata, { user: "ann", resourceAttributes: pods }, []],
    ["about a group is fine", metadata, { groups: ["team"], resourceAttributes: pods }, []],
    [
      "about a path is for the whole cluster",
      metadata,
      { user: "ann", nonResourceAttributes: path },
      isLocal ? ["spec.nonResourceAttributes Invalid"] : [],
    ],
    ["about nobody is refused", metadata, { resourceAttributes: pods }, ["spec.user Invalid"]],
    ["about nothing is refused", metadata, { user: "ann" }, ["spec.resourceAttributes Invalid"]],
    [
      "of both shapes is refused",
      metadata,
      { user: "ann", resourceAttributes: pods, nonResourceAttributes: path },
      ["spec.nonResourceAttributes Invalid", ...(isLocal ? ["spec.nonResourceAttributes Invalid"] : [])],
    ],
    [
      "with a name is refused",
      { ...metadata, name: "it" },
      { user: "ann", resourceAttributes: pods },
      ["metadata Invalid"],
    ],
    [
      "with labels is refused",
      { ...metadata, labels: { a: "b" } },
      { user: "ann", resourceAttributes: pods },
      ["metadata Invalid"],
    ],
    [
      "that somebody applied is fine",
      { ...metadata, managedFields: [{ manager: "m" }] },
      { user: "ann", resourceAttributes: pods },
      [],
    ],
    [
      "asks about its own namespace, if it has one",
      metadata,
      { user: "ann", resourceAttributes: { ...pods, namespace: "other" } },
      isLocal ? ["spec.resourceAttributes.namespace Invalid"] : [],
    ],
  ])("%s", (_, meta, spec, expected) => expect(errorsOf(kind, { metadata: meta, spec })).toEqual(expected));
});

describe("a SelfSubjectAccessReview", () => {
  const ofLabels = (labelSelector: JsonObject) => ({ resourceAttributes: { ...pods, labelSelector } });
  const at = "spec.resourceAttributes.labelSelector";
  test.each<[string, JsonObject, string[]]>([
    ["a text", { rawSelector: "a=b" }, []],
    ["terms", { requirements: [{ key: "a", operator: "In", values: ["b"] }] }, []],
    ["nothing", {}, [`${at}.requirements Required`]],
    ["both", { rawSelector: "a", requirements: [{ key: "a", operator: "Exists" }] }, [`${at}.rawSelector Invalid`]],
    ["an operator of a later release", { requirements: [{ key: "a", operator: "Is" }] }, []],
    [
      "terms that are none",
      {
        requirements: [
          { key: "a", operator: "In" },
          { key: "a", operator: "Exists", values: ["b"] },
        ],
      },
      [`${at}.requirements[0].values Required`, `${at}.requirements[1].values Forbidden`],
    ],
  ])("about what labels select, said by %s", (_, selector, expected) => {
    expect(errorsOf("SelfSubjectAccessReview", { spec: ofLabels(selector) })).toEqual(expected);
    const ofFields = { resourceAttributes: { ...pods, fieldSelector: selector } };
    expect(errorsOf("SelfSubjectAccessReview", { spec: ofFields })).toEqual(
      expected.map((error) => error.replace("labelSelector", "fieldSelector")),
    );
  });

  test("a label requirement has a label key and label values, a field requirement any key and values", () => {
    const requirements = [
      { key: "a b", operator: "In", values: ["c d"] },
      { key: "", operator: "Exists" },
    ];
    const selecting = (name: string) => ({ spec: { resourceAttributes: { ...pods, [name]: { requirements } } } });
    expect(errorsOf("SelfSubjectAccessReview", selecting("labelSelector"))).toEqual([
      `${at}.requirements[0].key Invalid`,
      `${at}.requirements[0].values[0] Invalid`,
      `${at}.requirements[1].key Invalid`,
    ]);
    expect(errorsOf("SelfSubjectAccessReview", selecting("fieldSelector"))).toEqual([
      "spec.resourceAttributes.fieldSelector.requirements[1].key Required",
    ]);
  });

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ["about a resource is fine", {}, { resourceAttributes: pods }, []],
    ["about a path is fine", {}, { nonResourceAttributes: path }, []],
    ["about nothing is refused", {}, {}, ["spec.resourceAttributes Invalid"]],
    [
      "of both shapes is refused",
      {},
      { resourceAttributes: pods, nonResourceAttributes: path },
      ["spec.nonResourceAttributes Invalid"],
    ],
    ["with a name is refused", { name: "it" }, { resourceAttributes: pods }, ["metadata Invalid"]],
  ])("%s", (_, metadata, spec, expected) => {
    expect(errorsOf("SelfSubjectAccessReview", { metadata, spec })).toEqual(expected);
  });
});
