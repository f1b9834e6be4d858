import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { type DiscoveryItem, isBuiltIn, type PeerGroup, withPeerGroups } from "./peer-groups";

const vocabulary = vocabularyOf("kubernetes");

const resource = (name: string, verbs: readonly string[] = ["get"], parts: readonly string[] = []) => {
  const responseKind = { group: "", version: "v1", kind: name };
  const subresources = parts.map((subresource) => ({ subresource, responseKind, verbs: ["get"] }));
  return {
    ...{ resource: name, responseKind, scope: "Cluster" as const, singularResource: name, verbs },
    ...(subresources.length > 0 && { subresources }),
  };
};
type Groups = Readonly<Record<string, Readonly<Record<string, readonly ReturnType<typeof resource>[]>>>>;

const peer = (groups: Groups): readonly PeerGroup[] =>
  Object.entries(groups).map(([name, versions]) => ({
    name,
    versions: Object.entries(versions).map(([version, resources]) => ({ version, resources })),
  }));
const own = (groups: Groups): readonly DiscoveryItem[] =>
  peer(groups).map(({ name, versions }) => ({
    metadata: { ...(name !== "" && { name }) },
    versions: versions.map((version) => ({ ...version, freshness: "Current" })),
  }));

/** Returns `group/version: resource[verbs](subresources), …` of each version. */
const shown = (items: readonly DiscoveryItem[]) =>
  items.flatMap(({ metadata: { name = "" }, versions }) =>
    versions.map(({ version, resources }) => {
      const texts = resources.map(({ resource: plural, verbs, subresources = [] }) => {
        const parts = subresources.map(({ subresource }) => subresource);
        return `${plural}[${verbs.join(" ")}]${parts.length === 0 ? "" : `(${parts.join(" ")})`}`;
      });
      return `${name}/${version}: ${texts.join(", ")}`;
    }),
  );

const OWN: Groups = { apps: { v1: [resource("deployments")] }, batch: { v1: [resource("jobs")] } };

describe("resources of other servers", () => {
  test.each<[string, readonly Groups[], readonly string[]]>([
    [
      "in a group that this server lacks stand at its place in the order of groups",
      [{ autoscaling: { v2: [resource("hpas")] }, "storage.k8s.io": { v1: [resource("classes")] } }],
      [
        "apps/v1: deployments[get]",
        "autoscaling/v2: hpas[get]",
        "batch/v1: jobs[get]",
        "storage.k8s.io/v1: classes[get]",
      ],
    ],
    [
      "in a version that this server lacks stand by the maturity of the version",
      [{ batch: { v1beta1: [resource("cronjobs")], v2: [resource("jobs")] } }],
      ["apps/v1: deployments[get]", "batch/v2: jobs[get]", "batch/v1: jobs[get]", "batch/v1beta1: cronjobs[get]"],
    ],
    [
      "are in order of their names",
      [{ apps: { v1: [resource("zebras"), resource("daemonsets")] } }],
      ["apps/v1: daemonsets[get], deployments[get], zebras[get]", "batch/v1: jobs[get]"],
    ],
    [
      "add verbs and subresources",
      [{ apps: { v1: [resource("deployments", ["create", "get"], ["scale"])] } }],
      ["apps/v1: deployments[create get](scale)", "batch/v1: jobs[get]"],
    ],
    [
      "of several servers are joined",
      [{ apps: { v2: [resource("a")] } }, { apps: { v2: [resource("b")] } }],
      ["apps/v2: a[get], b[get]", "apps/v1: deployments[get]", "batch/v1: jobs[get]"],
    ],
  ])("%s", (_what, others, expected) => {
    const merged = withPeerGroups(vocabulary, own(OWN), others.map(peer));
    expect(shown(merged)).toEqual(expected);
  });

  test("that this server has too leave the same list", () => {
    const items = own(OWN);
    expect(withPeerGroups(vocabulary, items, [peer({ apps: OWN["apps"] ?? {} }), []])).toBe(items);
  });
});

test.each([
  ["", true],
  ["apps", true],
  ["storage.k8s.io", true],
  ["example.com", false],
  ["snapshot.storage.k8s.io", false],
])("the group %j is built in: %p", (group, expected) => {
  expect(isBuiltIn(vocabulary, group)).toBe(expected);
});
