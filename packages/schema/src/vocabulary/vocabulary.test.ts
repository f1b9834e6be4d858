import { describe, expect, test } from "@jest/globals";
import { groupName, VOCABULARY_NAMES, type Vocabulary, vocabularyOf } from "./vocabulary";

function identifiers(vocabulary: Vocabulary): [path: string, name: string][] {
  return Object.entries(vocabulary).flatMap(([kind, table]) =>
    typeof table === "string"
      ? []
      : Object.entries(table).map(([id, name]): [string, string] => [`${kind}.${id}`, name]),
  );
}

describe("a vocabulary", () => {
  test("is one frozen value for each name", () => {
    expect(vocabularyOf("orch")).toBe(vocabularyOf("orch"));
    expect(Object.isFrozen(vocabularyOf("orch").groups)).toBe(true);
  });

  test.each([
    ["orch", "rbac.authorization.orch.io", "orch-system", "application/vnd.orch.protobuf"],
    ["kubernetes", "rbac.authorization.k8s.io", "kube-system", "application/vnd.kubernetes.protobuf"],
  ] as const)("%s spells its groups, namespaces and media types", (name, group, namespace, mediaType) => {
    const vocabulary = vocabularyOf(name);
    expect(vocabulary.groups.rbac).toBe(group);
    expect(vocabulary.namespaces.system).toBe(namespace);
    expect(vocabulary.mediaTypes.protobuf).toBe(mediaType);
  });

  test("says every identifier in both columns, and differently", () => {
    const [orch, kubernetes] = VOCABULARY_NAMES.map((name) => new Map(identifiers(vocabularyOf(name))));
    expect([...(orch?.keys() ?? [])]).toEqual([...(kubernetes?.keys() ?? [])]);
    const same = [...(orch ?? [])].filter(([path, name]) => name === "" || name === kubernetes?.get(path));
    expect(same).toEqual([]);
  });

  test("never spells the other vocabulary's names in the orch column", () => {
    const foreign = identifiers(vocabularyOf("orch")).filter(([, name]) => /k8s|kubernetes|kube-/i.test(name));
    expect(foreign).toEqual([]);
  });
});

describe("a group's name", () => {
  test.each([
    ["core", ""],
    ["apps", "apps"],
    ["flowcontrol", "flowcontrol.apiserver.orch.io"],
    ["stable.example.com", "stable.example.com"],
  ])("the group name of the id %s is %j", (id, name) => expect(groupName(vocabularyOf("orch"), id)).toBe(name));
});
