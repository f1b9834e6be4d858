import { expect, test } from "@jest/globals";
import { placeOf } from "./client-metrics";

test.each([
  ["/api/v1/namespaces/shop/pods/web-0?watch=1", "/api/v1/namespaces/{namespace}/pods/{name}"],
  ["/api/v1/namespaces/shop/pods/web-0/log", "/api/v1/namespaces/{namespace}/pods/{name}/log"],
  ["/api/v1/namespaces/shop/pods", "/api/v1/namespaces/{namespace}/pods"],
  ["/api/v1/namespaces/shop", "/api/v1/namespaces/{name}"],
  ["/api/v1/namespaces?limit=500", "/api/v1/namespaces"],
  ["/api/v1/nodes/n1", "/api/v1/nodes/{name}"],
  [
    "/apis/apps/v1/namespaces/shop/deployments/web/scale",
    "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
  ],
  ["/apis/storage.example/v1/classes/fast", "/apis/storage.example/v1/classes/{name}"],
  ["/healthz/etcd", "/healthz/etcd"],
])("%s is counted as %s", (path, url) =>
  expect(placeOf(new URL("https://server:6443/ignored"), "GET", path)).toEqual({
    method: "GET",
    host: "server:6443",
    url: `https://server:6443${url}`,
  }),
);
