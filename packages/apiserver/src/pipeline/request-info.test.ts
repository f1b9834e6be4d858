import { describe, expect, test } from "@jest/globals";
import { isTrue, parseRequestInfo, type RequestInfo } from "./request-info";

test.each<[string, string, Partial<RequestInfo>]>([
  ["GET", "/", { isResource: false, verb: "get" }],
  ["POST", "/healthz", { isResource: false, verb: "post" }],
  ["GET", "/api", { isResource: false }],
  ["GET", "/api/v1", { isResource: false }],
  ["GET", "/apis/apps/v1", { isResource: false }],
  ["GET", "/api/v1/pods", { verb: "list", group: "", version: "v1", resource: "pods", namespace: "" }],
  ["GET", "/api/v1/pods/", { verb: "list", resource: "pods" }],
  ["GET", "/apis/apps/v1/deployments", { verb: "list", group: "apps", version: "v1", resource: "deployments" }],
  ["GET", "/api/v1/namespaces", { verb: "list", resource: "namespaces", namespace: "", name: "" }],
  ["GET", "/api/v1/namespaces/a", { verb: "get", resource: "namespaces", namespace: "a", name: "a" }],
  ["PUT", "/api/v1/namespaces/a/status", { verb: "update", resource: "namespaces", name: "a", subresource: "status" }],
  ["PUT", "/api/v1/namespaces/a/finalize", { resource: "namespaces", name: "a", subresource: "finalize" }],
  ["GET", "/api/v1/namespaces/a/pods", { verb: "list", resource: "pods", namespace: "a", name: "" }],
  ["GET", "/api/v1/namespaces/a/pods/b", { verb: "get", resource: "pods", namespace: "a", name: "b" }],
  ["HEAD", "/api/v1/namespaces/a/pods/b", { verb: "get" }],
  ["PATCH", "/api/v1/namespaces/a/pods/b", { verb: "patch" }],
  ["BREW", "/api/v1/namespaces/a/pods/b", { verb: "" }],
  ["POST", "/api/v1/namespaces/a/pods", { verb: "create" }],
  ["DELETE", "/api/v1/namespaces/a/pods", { verb: "deletecollection" }],
  ["DELETE", "/api/v1/namespaces/a/pods/b", { verb: "delete" }],
  ["GET", "/api/v1/namespaces/a/pods/b/log", { subresource: "log", longRunning: true }],
  ["GET", "/api/v1/namespaces/a/pods/b/proxy/x/y", { subresource: "proxy", tail: "/x/y", longRunning: true }],
  ["GET", "/api/v1/pods?watch=1", { verb: "watch", longRunning: true }],
  ["GET", "/api/v1/pods?watch", { verb: "watch" }],
  ["GET", "/api/v1/pods?watch=False", { verb: "list", longRunning: false }],
  ["GET", "/api/v1/watch/namespaces/a/pods/b", { verb: "watch", resource: "pods", namespace: "a", name: "b" }],
  ["GET", "/api/v1/watch/pods", { verb: "watch", resource: "pods", name: "" }],
  ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Db", { verb: "list", name: "b" }],
  ["GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn,metadata.name%3D%3Db", { name: "b" }],
  ["GET", "/api/v1/pods?fieldSelector=metadata.name!%3Db", { name: "" }],
  ["GET", "/api/v1/pods?fieldSelector=metadata.name%3D..", { name: "" }],
  ["GET", "/api/v1/namespaces/a/pods/b%20c", { name: "b c" }],
  ["GET", "/api/v1/namespaces/a/pods/b%2Fc", { name: "b/c", subresource: "" }],
])("%s %s", (method, url, expected) => {
  const info = parseRequestInfo(method, url);
  expect(info).toMatchObject({ isResource: true, ...expected });
  expect(info.failure).toBeUndefined();
});

describe("what cannot be read", () => {
  test.each(["/api/v1/watch", "/apis/apps/v1/proxy/", "/api/v1/pods/%ff", "/api/v1/pods/%2"])("%s", (url) =>
    expect(parseRequestInfo("GET", url).failure).toEqual(expect.any(String)),
  );
});

test.each<[string, boolean]>([
  ["watch=1", true],
  ["watch=true", true],
  ["watch=", true],
  ["watch=anything", true],
  ["watch=0", false],
  ["watch=FALSE", false],
  ["other=1", false],
])("of the query %s, watch is %p", (query, expected) =>
  expect(isTrue(new URLSearchParams(query), "watch")).toBe(expected),
);
