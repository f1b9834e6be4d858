import SwaggerParser from "@apidevtools/swagger-parser";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import {
  allRoutes,
  inside,
  operationsIn,
  type PublishedDocument,
  parsed,
  publishedDocuments,
} from "../testing/published-documents";

const vocabulary = vocabularyOf("kubernetes");
const schema = loadSchema(vocabulary);
const GROUP_VERSION_KIND = vocabulary.schemaExtensions.groupVersionKind;

let version2: JsonObject;
let version3: ReadonlyMap<string, JsonObject>;

beforeAll(async () => {
  const release = "1.23";
  const info = { title: "An API", version: "v1.23.0" };
  const made = await publishedDocuments({ schema, release, info, routes: allRoutes(schema, release) });
  version2 = parsed(made.version2);
  version3 = new Map([...made.version3.byPath].map(([path, document]) => [path, parsed(document)]));
});

test("all documents of version 3 together hold the operations of version 2", () => {
  const apart = [...version3.values()].flatMap((document) => [...operationsIn(document).keys()]);
  expect(apart.sort()).toEqual([...operationsIn(version2).keys()].sort());
});

test("every operation tells what it answers with", () => {
  for (const [name, operation] of operationsIn(version2)) {
    const { 401: refused, ...answers } = operation["responses"] as Record<string, JsonObject>;
    expect([name, refused]).toEqual([name, { description: "Unauthorized" }]);
    for (const answer of Object.values(answers))
      expect([name, answer]).toEqual([name, { description: expect.any(String), schema: expect.any(Object) }]);
  }
  for (const document of version3.values()) {
    for (const [name, operation] of operationsIn(document)) {
      const { 401: _refused, ...answers } = operation["responses"] as Record<string, JsonObject>;
      for (const { content } of Object.values(answers))
        expect([name, Object.keys(content as JsonObject).length]).not.toEqual([name, 0]);
    }
  }
});

describe("operations of", () => {
  const parameters = (operation: JsonObject | undefined) =>
    (inside(operation, "parameters") as JsonObject[]).map(({ name, $ref }) => name ?? String($ref).split("/").at(-1));
  const WRITES = ["body", "dryRun", "fieldManager", "fieldValidation"];
  const LISTS = [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
  ];
  const POD = "/api/v1/namespaces/{namespace}/pods/{name}";
  test.each<[operation: string, id: string, action: string, kind: string, parameters: readonly string[]]>([
    [`PATCH ${POD}`, "patchCoreV1NamespacedPod", "patch", "v1 Pod", [...WRITES, "force"]],
    [
      `DELETE ${POD}`,
      "deleteCoreV1NamespacedPod",
      "delete",
      "v1 Pod",
      ["body", "dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
    ],
    [
      `GET ${POD}/log`,
      "readCoreV1NamespacedPodLog",
      "get",
      "v1 Pod",
      [
        "container",
        "follow",
        "previous",
        "sinceSeconds",
        "sinceTime",
        "timestamps",
        "tailLines",
        "limitBytes",
        "insecureSkipTLSVerifyBackend",
      ],
    ],
    [
      `GET ${POD}/exec`,
      "connectCoreV1GetNamespacedPodExec",
      "connect",
      "v1 PodExecOptions",
      ["stdin", "stdout", "stderr", "tty", "container", "command"],
    ],
    [
      `POST ${POD}/attach`,
      "connectCoreV1PostNamespacedPodAttach",
      "connect",
      "v1 PodAttachOptions",
      ["stdin", "stdout", "stderr", "tty", "container"],
    ],
    [
      `POST ${POD}/portforward`,
      "connectCoreV1PostNamespacedPodPortforward",
      "connect",
      "v1 PodPortForwardOptions",
      ["ports"],
    ],
    [`OPTIONS ${POD}/proxy`, "connectCoreV1OptionsNamespacedPodProxy", "connect", "v1 PodProxyOptions", []],
    [`HEAD ${POD}/proxy/{path}`, "connectCoreV1HeadNamespacedPodProxyWithPath", "connect", "v1 PodProxyOptions", []],
    [
      "PATCH /api/v1/nodes/{name}/proxy/{path}",
      "connectCoreV1PatchNodeProxyWithPath",
      "connect",
      "v1 NodeProxyOptions",
      [],
    ],
    [
      "PUT /api/v1/namespaces/{namespace}/services/{name}/proxy",
      "connectCoreV1PutNamespacedServiceProxy",
      "connect",
      "v1 ServiceProxyOptions",
      [],
    ],
    [`POST ${POD}/eviction`, "createCoreV1NamespacedPodEviction", "post", "policy/v1 Eviction", WRITES],
    [`POST ${POD}/binding`, "createCoreV1NamespacedPodBinding", "post", "v1 Binding", WRITES],
    [
      `PATCH ${POD}/ephemeralcontainers`,
      "patchCoreV1NamespacedPodEphemeralcontainers",
      "patch",
      "v1 Pod",
      [...WRITES, "force"],
    ],
    ["PUT /api/v1/namespaces/{name}/finalize", "replaceCoreV1NamespaceFinalize", "put", "v1 Namespace", WRITES],
    [
      "PUT /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
      "replaceAppsV1NamespacedDeploymentScale",
      "put",
      "autoscaling/v1 Scale",
      WRITES,
    ],
    [
      "PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/{name}/approval",
      "replaceCertificatesV1CertificateSigningRequestApproval",
      "put",
      "certificates.k8s.io/v1 CertificateSigningRequest",
      WRITES,
    ],
    [
      "DELETE /api/v1/namespaces/{namespace}/pods",
      "deleteCoreV1CollectionNamespacedPod",
      "deletecollection",
      "v1 Pod",
      [
        "body",
        "continue",
        "fieldSelector",
        "labelSelector",
        "limit",
        "resourceVersion",
        "resourceVersionMatch",
        "dryRun",
        "gracePeriodSeconds",
        "orphanDependents",
        "propagationPolicy",
      ],
    ],
    ["GET /api/v1/pods", "listCoreV1PodForAllNamespaces", "list", "v1 Pod", [...LISTS, "count", "fields", "sortBy"]],
    [
      "GET /api/v1/componentstatuses",
      "listCoreV1ComponentStatus",
      "list",
      "v1 ComponentStatus",
      [...LISTS, "count", "fields"],
    ],
    [`GET ${POD}`, "readCoreV1NamespacedPod", "get", "v1 Pod", ["resourceVersion", "fields"]],
    ["GET /api/v1/watch/pods", "watchCoreV1PodListForAllNamespaces", "watchlist", "v1 Pod", LISTS],
    ["GET /api/v1/watch/namespaces/{namespace}/pods", "watchCoreV1NamespacedPodList", "watchlist", "v1 Pod", LISTS],
    [
      "GET /apis/storage.k8s.io/v1/watch/storageclasses/{name}",
      "watchStorageV1StorageClass",
      "watch",
      "storage.k8s.io/v1 StorageClass",
      LISTS,
    ],
    [
      "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
      "createAuthorizationV1SubjectAccessReview",
      "post",
      "authorization.k8s.io/v1 SubjectAccessReview",
      WRITES,
    ],
  ])("%s", (name, id, action, kind, expected) => {
    const operation = operationsIn(version2).get(name);
    const of = inside(operation, GROUP_VERSION_KIND) as Readonly<Record<"group" | "version" | "kind", string>>;
    expect({
      id: operation?.["operationId"],
      action: operation?.["x-kubernetes-action"],
      kind: `${of.group === "" ? "" : `${of.group}/`}${of.version} ${of.kind}`,
      parameters: parameters(operation),
    }).toEqual({ id, action, kind, parameters: expected });
  });

  test("requests for several resources, without the marks of a resource", () => {
    const watch = operationsIn(version3.get("watch")).get("GET /watch");
    expect(parameters(watch)).toEqual([
      ...["allowWatchBookmarks", "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds"],
      ...["resource", "partial"],
    ]);
    expect(Object.keys(inside(watch, "responses", "200", "content") as JsonObject)).toContain("text/event-stream");
    const everything = operationsIn(version3.get("api/v1")).get("GET /api/v1/namespaces/{namespace}/everything");
    expect(parameters(everything)).toEqual(["kinds"]);
    for (const operation of [watch, everything]) expect(operation?.["x-kubernetes-action"]).toBeUndefined();
  });

  test("every placeholder of a path", () => {
    for (const [path, item] of Object.entries(version2["paths"] as JsonObject)) {
      const named = ((inside(item, "parameters") ?? []) as JsonObject[]).filter((each) => each["in"] === "path");
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([path, named.map((each) => each["name"]).sort()]).toEqual([path, inPath.sort()]);
    }
  });

  test("a query that names something several times", () => {
    const exec = `${POD}/exec`;
    const command = (operation: JsonObject | undefined) =>
      (inside(operation, "parameters") as JsonObject[]).find((each) => each["name"] === "command");
    const item = operationsIn(version2).get(`POST ${exec}`);
    expect(command(item)).toMatchObject({ type: "array", items: { type: "string" }, collectionFormat: "multi" });
    const item3 = operationsIn(version3.get("api/v1")).get(`POST ${exec}`);
    expect(command(item3)).toMatchObject({ schema: { type: "array", items: { type: "string" } } });
  });

  test("patches: every form, and that they can be rehearsed and checked", () => {
    for (const [name, patch] of operationsIn(version2)) {
      if (patch["x-kubernetes-action"] !== "patch") continue;
      expect([name, parameters(patch)]).toEqual([name, expect.arrayContaining(["dryRun", "fieldValidation", "force"])]);
      expect([name, patch["consumes"]]).toEqual([
        name,
        [
          "application/json-patch+json",
          "application/merge-patch+json",
          "application/strategic-merge-patch+json",
          "application/apply-patch+yaml",
        ],
      ]);
    }
  });
});

describe("the history of objects", () => {
  const release = "1.36";
  const made = (isListed: boolean) => {
    const routes = allRoutes(schema, release, isListed).filter(({ version: { group } }) =>
      ["", "apps"].includes(group),
    );
    return publishedDocuments({ schema, release, info: { title: "An API", version: "v1.36.0" }, routes });
  };

  test("is published with its types where every object has one", async () => {
    const documents = await made(true);
    const [v2, v3] = [parsed(documents.version2), parsed(documents.version3.byPath.get("api/v1") as PublishedDocument)];
    const one = "/api/v1/namespaces/{namespace}/configmaps/{name}";
    const operations = operationsIn(v2);
    const shown = (name: string) => {
      const operation = operations.get(name) as JsonObject;
      const { 401: _, ...answers } = operation["responses"] as Record<string, JsonObject>;
      return {
        id: operation["operationId"],
        parameters: (operation["parameters"] as JsonObject[]).map((each) => each["name"] ?? each["$ref"]),
        answers: Object.entries(answers).map(([code, answer]) => [code, inside(answer, "schema", "$ref")]),
      };
    };
    const WRITES = ["dryRun", "#/parameters/fieldManager", "fieldValidation"];
    const MODEL = "#/definitions/io.k8s.api.core.v1.ConfigMap";
    expect(shown(`GET ${one}/history`)).toEqual({
      id: "readCoreV1NamespacedConfigMapHistory",
      parameters: ["limit", "revision"],
      answers: [["200", "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.RevisionList"]],
    });
    expect(shown(`POST ${one}/rollback`)).toEqual({
      id: "createCoreV1NamespacedConfigMapRollback",
      parameters: [...WRITES, "revision", "resourceVersion"],
      answers: [["200", MODEL]],
    });
    expect(shown(`POST ${one}/restore`)).toEqual({
      id: "createCoreV1NamespacedConfigMapRestore",
      parameters: [...WRITES, "revision"],
      answers: [["201", MODEL]],
    });
    const list = inside(v3, "components", "schemas", "io.k8s.apimachinery.pkg.apis.meta.v1.RevisionList");
    expect(inside(list, GROUP_VERSION_KIND)).toEqual([{ group: "meta.k8s.io", version: "v1", kind: "RevisionList" }]);
    for (const document of [v2, v3]) await SwaggerParser.validate(document as never);
  });

  test("is not published where the annotation of a namespace decides", async () => {
    const document = parsed((await made(false)).version2);
    const paths = [...operationsIn(document).keys()].filter((name) => /\/(history|rollback|restore)$/.test(name));
    expect(paths).toEqual([]);
    expect(inside(document, "definitions", "io.k8s.apimachinery.pkg.apis.meta.v1.RevisionList")).toBeUndefined();
  });
});
