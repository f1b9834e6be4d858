// Converts every version of every resource to the hub and back, in both directions. Nothing may be lost that both
// versions can express.
import { describe, expect, test } from "@jest/globals";
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { definitionOf } from "./definitions/definitions";
import { EVERY_RESOURCE } from "./definitions/every-resource";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

function define(kind: string, release: string): ResourceDefinition {
  const resource = EVERY_RESOURCE.find((each) => each.kind === kind);
  const definition = resource && definitionOf(resource, vocabulary, schema, release);
  if (definition === undefined) throw new Error(`${kind} is not served in ${release}`);
  return definition;
}

function versionOf({ versions, formerVersions = [] }: ResourceDefinition, apiVersion: string): ServedVersion {
  const found = [...versions, ...formerVersions].find((each) => each.apiVersion === apiVersion);
  if (found === undefined) throw new Error(`no ${apiVersion}`);
  return found;
}

/**
 * Converts as the server does: from a version to the storage version and on to another, decoding where a request body
 * would be.
 */
function converted(definition: ResourceDefinition, object: JsonObject, from: string, to: string): JsonObject {
  const [source, target] = [versionOf(definition, from), versionOf(definition, to)];
  const { value } = source.type.decode(structuredClone({ ...object, apiVersion: from, kind: definition.kind }));
  const stored = source.toStorage?.(value) ?? value;
  const shown = target.fromStorage?.(stored) ?? stored;
  const decoded = target.type.decode({ ...shown, apiVersion: to, kind: definition.kind });
  expect(decoded.problems).toEqual([]);
  return decoded.value;
}

const metadata = { name: "it" };
const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };

const SCHEMA = { openAPIV3Schema: { type: "object" } };
const COLUMN = { name: "Size", type: "integer" };
const NAMES = { plural: "widgets", kind: "Widget" };

interface Pair {
  readonly kind: string;
  readonly release: string;
  readonly old: readonly [string, JsonObject];
  readonly now: readonly [string, JsonObject];
}

const NETWORKING = "networking.orch.io";
const PAIRS: readonly (readonly [string, Pair])[] = [
  [
    "an ingress's backends, ports by number and by name, and a resource",
    {
      kind: "Ingress",
      release: "1.21",
      old: [
        `${NETWORKING}/v1beta1`,
        {
          metadata,
          spec: {
            backend: { serviceName: "s", servicePort: 80 },
            rules: [
              {
                host: "h",
                http: {
                  paths: [
                    { path: "/a", pathType: "Exact", backend: { serviceName: "t", servicePort: "web" } },
                    { pathType: "Prefix", backend: { resource: { kind: "Bucket", name: "b" } } },
                  ],
                },
              },
            ],
          },
        },
      ],
      now: [
        `${NETWORKING}/v1`,
        {
          metadata,
          spec: {
            defaultBackend: { service: { name: "s", port: { number: 80 } } },
            rules: [
              {
                host: "h",
                http: {
                  paths: [
                    { path: "/a", pathType: "Exact", backend: { service: { name: "t", port: { name: "web" } } } },
                    { pathType: "Prefix", backend: { resource: { kind: "Bucket", name: "b" } } },
                  ],
                },
              },
            ],
          },
        },
      ],
    },
  ],
  [
    "a deployment's rollback",
    {
      kind: "Deployment",
      release: "1.15",
      old: ["extensions/v1beta1", { metadata, spec: { template, rollbackTo: { revision: 3 } } }],
      now: [
        "apps/v1",
        { metadata: { ...metadata, annotations: { "deprecated.deployment.rollback.to": "3" } }, spec: { template } },
      ],
    },
  ],
  [
    "a daemon set's count of templates",
    {
      kind: "DaemonSet",
      release: "1.15",
      old: ["extensions/v1beta1", { metadata, spec: { template, templateGeneration: 7 } }],
      now: [
        "apps/v1",
        {
          metadata: { ...metadata, annotations: { "deprecated.daemonset.template.generation": "7" } },
          spec: { template },
        },
      ],
    },
  ],
  [
    "a definition's shared schema, sub-resources, columns and webhook",
    {
      kind: "CustomResourceDefinition",
      release: "1.21",
      old: [
        "apiextensions.orch.io/v1beta1",
        {
          metadata,
          spec: {
            group: "g.example",
            names: NAMES,
            scope: "Namespaced",
            version: "v1",
            versions: [
              { name: "v1", served: true, storage: true },
              { name: "v2", served: true, storage: false },
            ],
            validation: SCHEMA,
            subresources: { status: {} },
            additionalPrinterColumns: [{ ...COLUMN, JSONPath: ".spec.size" }],
            conversion: {
              strategy: "Webhook",
              webhookClientConfig: { url: "https://c.example" },
              conversionReviewVersions: ["v1"],
            },
            preserveUnknownFields: false,
          },
        },
      ],
      now: [
        "apiextensions.orch.io/v1",
        {
          metadata,
          spec: {
            group: "g.example",
            names: NAMES,
            scope: "Namespaced",
            versions: ["v1", "v2"].map((name) => ({
              name,
              served: true,
              storage: name === "v1",
              schema: SCHEMA,
              subresources: { status: {} },
              additionalPrinterColumns: [{ ...COLUMN, jsonPath: ".spec.size" }],
            })),
            conversion: {
              strategy: "Webhook",
              webhook: { clientConfig: { url: "https://c.example" }, conversionReviewVersions: ["v1"] },
            },
          },
        },
      ],
    },
  ],
  [
    "a definition's schema of each version, and unknown fields that are kept",
    {
      kind: "CustomResourceDefinition",
      release: "1.16",
      old: [
        "apiextensions.orch.io/v1beta1",
        {
          metadata,
          spec: {
            group: "g.example",
            names: NAMES,
            scope: "Cluster",
            version: "v1",
            versions: [
              { name: "v1", served: true, storage: true, schema: SCHEMA },
              { name: "v2", served: true, storage: false },
            ],
            preserveUnknownFields: true,
          },
        },
      ],
      now: [
        "apiextensions.orch.io/v1",
        {
          metadata,
          spec: {
            group: "g.example",
            names: NAMES,
            scope: "Cluster",
            versions: [
              { name: "v1", served: true, storage: true, schema: SCHEMA },
              { name: "v2", served: true, storage: false },
            ],
            preserveUnknownFields: true,
          },
        },
      ],
    },
  ],
  [
    "whom a binding names",
    {
      kind: "RoleBinding",
      release: "1.20",
      old: [
        "rbac.authorization.orch.io/v1alpha1",
        {
          metadata,
          subjects: [
            { kind: "User", apiVersion: "rbac.authorization.orch.io/v1alpha1", name: "ann" },
            { kind: "ServiceAccount", apiVersion: "v1", name: "robot", namespace: "ns" },
          ],
          roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "r" },
        },
      ],
      now: [
        "rbac.authorization.orch.io/v1",
        {
          metadata,
          subjects: [
            { kind: "User", apiGroup: "rbac.authorization.orch.io", name: "ann" },
            { kind: "ServiceAccount", name: "robot", namespace: "ns" },
          ],
          roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "r" },
        },
      ],
    },
  ],
  [
    "the groups that an access review asks for",
    {
      kind: "SubjectAccessReview",
      release: "1.21",
      old: [
        "authorization.orch.io/v1beta1",
        { metadata, spec: { user: "ann", group: ["dev"], nonResourceAttributes: { path: "/x", verb: "get" } } },
      ],
      now: [
        "authorization.orch.io/v1",
        { metadata, spec: { user: "ann", groups: ["dev"], nonResourceAttributes: { path: "/x", verb: "get" } } },
      ],
    },
  ],
];

describe.each(PAIRS)("%s", (_what, { kind, release, old, now }) => {
  const definition = define(kind, release);
  const shape = ([apiVersion, object]: readonly [string, JsonObject]) =>
    converted(definition, object, apiVersion, apiVersion);

  test("become what the newer version calls them", () =>
    expect(converted(definition, old[1], old[0], now[0])).toEqual(shape(now)));
  test("become what the older version calls them", () =>
    expect(converted(definition, now[1], now[0], old[0])).toEqual(shape(old)));
});

describe("rules that speak of the newest shape", () => {
  const definition = define("Ingress", "1.19");
  const ingress = (more: JsonObject = {}): JsonObject => ({
    apiVersion: `${NETWORKING}/v1beta1`,
    kind: "Ingress",
    metadata: { name: "it", generation: 4 },
    spec: { backend: { serviceName: "s", servicePort: 80 } },
    ...more,
  });

  test("hold for objects that are stored in an older one", () => {
    expect(definition.storage.apiVersion).toBe(`${NETWORKING}/v1beta1`);
    const next = ingress({ spec: { backend: { serviceName: "t", servicePort: 80 } }, status: { loadBalancer: {} } });
    definition.strategy.prepareForUpdate?.(next, ingress());
    expect(next).toMatchObject({
      apiVersion: `${NETWORKING}/v1beta1`,
      metadata: { generation: 5 },
      spec: { backend: { serviceName: "t", servicePort: 80 } },
    });
  });

  test("leave what they are only shown as it is", () => {
    const [next, old] = [ingress(), ingress()];
    definition.subresources["status"]?.prepareForUpdate(next, old);
    expect(old).toEqual(ingress());
    expect(next["spec"]).toEqual(ingress()["spec"]);
  });
});
