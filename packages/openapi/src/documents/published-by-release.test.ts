// Required fields and values of enumerations that releases publish. Source: api/openapi-spec/swagger.json of each release.
import { beforeAll, expect, test } from "@jest/globals";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { allRoutes, inside, parsed, publishedDocuments } from "../testing/published-documents";

const RELEASES = ["1.30", "1.36", "1.37"] as const;
type Release = (typeof RELEASES)[number];
const APPS = "io.k8s.api.apps.v1";
const FLOW = "io.k8s.api.flowcontrol.v1";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const RESOURCE = "io.k8s.api.resource.v1";
const CORE = "io.k8s.api.core.v1";

const definitions = new Map<Release, JsonObject>();

beforeAll(async () => {
  const vocabulary = vocabularyOf("kubernetes");
  for (const release of RELEASES) {
    const schema = loadSchema(vocabulary, release);
    const info = { title: "An API", version: `v${release}.0` };
    const documents = await publishedDocuments({ schema, release, info, routes: allRoutes(schema, release) });
    definitions.set(release, parsed(documents.version2)["definitions"] as JsonObject);
  }
});

const model = (release: Release, name: string) => definitions.get(release)?.[name] as JsonObject;
const property = (release: Release, name: string, field: string) =>
  inside(model(release, name), "properties", field) as JsonObject;

test.each<[string, Partial<Record<Release, readonly string[] | undefined>>]>([
  [`${APPS}.DaemonSet`, { "1.30": undefined, "1.36": undefined, "1.37": ["spec"] }],
  [`${APPS}.Deployment`, { "1.30": undefined, "1.36": undefined, "1.37": ["spec"] }],
  [`${APPS}.ReplicaSet`, { "1.36": undefined, "1.37": ["spec"] }],
  [`${APPS}.StatefulSet`, { "1.36": undefined, "1.37": ["spec"] }],
  [`${APPS}.DaemonSetCondition`, { "1.30": ["status", "type"], "1.36": ["status", "type"], "1.37": undefined }],
  [`${APPS}.DeploymentCondition`, { "1.30": ["status", "type"], "1.36": ["status", "type"], "1.37": undefined }],
  [`${APPS}.ReplicaSetCondition`, { "1.36": ["status", "type"], "1.37": undefined }],
  [`${APPS}.StatefulSetCondition`, { "1.36": ["status", "type"], "1.37": undefined }],
  [`${APPS}.ControllerRevision`, { "1.30": ["revision"], "1.36": ["revision"], "1.37": ["data"] }],
  [`${FLOW}.FlowSchema`, { "1.30": undefined, "1.36": undefined, "1.37": ["spec"] }],
  [`${FLOW}.FlowSchemaCondition`, { "1.36": undefined, "1.37": ["type"] }],
  [`${FLOW}.LimitedPriorityLevelConfiguration`, { "1.36": undefined, "1.37": ["limitResponse"] }],
  [`${FLOW}.PriorityLevelConfiguration`, { "1.36": undefined, "1.37": ["spec"] }],
  [`${RESOURCE}.DeviceClass`, { "1.36": ["spec"], "1.37": undefined }],
  [`${RESOURCE}.ResourceClaim`, { "1.36": ["spec"], "1.37": undefined }],
  [`${RESOURCE}.ResourceClaimTemplate`, { "1.36": ["spec"], "1.37": undefined }],
  [`${RESOURCE}.ResourceClaimTemplateSpec`, { "1.36": ["spec"], "1.37": undefined }],
  [`${CORE}.NodeAllocatableResourceClaimStatus`, { "1.36": ["resourceClaimName", "resources"] }],
])("%s requires %p", (name, expected) => {
  for (const [release, required] of Object.entries(expected)) {
    expect([release, model(release as Release, name)["required"]]).toEqual([release, required]);
  }
});

test.each<[string, string, string, Partial<Record<Release, unknown>>]>([
  [`${META}.Condition`, "status", "enum", { "1.36": undefined, "1.37": ["False", "True", "Unknown"] }],
  [`${META}.ManagedFieldsEntry`, "operation", "enum", { "1.36": undefined, "1.37": ["Apply", "Update"] }],
  [
    `${APPS}.StatefulSetUpdateStrategy`,
    "type",
    "enum",
    { "1.30": ["OnDelete", "RollingUpdate"], "1.36": ["OnDelete", "RollingUpdate"] },
  ],
  [`${APPS}.StatefulSetUpdateStrategy`, "type", "enum", { "1.37": ["OnDelete", "Recreate", "RollingUpdate"] }],
  [`${META}.APIResource`, "verbs", "x-kubernetes-list-type", { "1.36": undefined }],
  [`${META}.APIResource`, "categories", "x-kubernetes-list-type", { "1.36": "atomic" }],
  [`${CORE}.PersistentVolumeClaimStatus`, "allocatedResourceStatuses", "x-kubernetes-map-type", { "1.36": "granular" }],
  [`${CORE}.PersistentVolumeClaimStatus`, "capacity", "x-kubernetes-map-type", { "1.36": undefined }],
])("the field %s %s has %s %p", (name, field, mark, expected) => {
  for (const [release, value] of Object.entries(expected)) {
    expect([release, property(release as Release, name, field)[mark]]).toEqual([release, value]);
  }
});
