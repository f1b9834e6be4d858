import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running), {
  flags: {
    "runtime-config": { "api/all": "false", v1: "true", "apps/v1": "true" },
    "enable-priority-and-fairness": false,
  },
});

const VERSION_2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const VERSION_3 = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => admin.get(path, { headers });
/** The document's address with its present hash. */
async function addressOf(path: string): Promise<string> {
  const index = JSON.parse((await get("/openapi/v3")).text) as { paths: Record<string, { serverRelativeURL: string }> };
  return index.paths[path]?.serverRelativeURL ?? "";
}

describe("version 2", () => {
  test("the version 2 document is built on demand, as JSON unless the client accepts protobuf", async () => {
    const json = await get("/openapi/v2");
    expect(json.headers).toMatchObject({ "content-type": "application/json", vary: "Accept, Accept-Encoding" });
    expect(JSON.parse(json.text)).toMatchObject({
      swagger: "2.0",
      definitions: { "io.orch.api.apps.v1.Deployment": { type: "object" } },
    });
    for (const accept of [VERSION_2, `${VERSION_2}, application/json;q=0.5`]) {
      const protobuf = await get("/openapi/v2", { accept });
      // Clients parse the media type, in which an @ is not allowed.
      expect(protobuf.headers["content-type"]).toBe(VERSION_2.replace("@", "."));
      expect(protobuf.bytes.subarray(0, 5)).toEqual(Buffer.from("\x0a\x032.0"));
    }
    expect((await get("/openapi/v2", { accept: "text/html, */*;q=0.1" })).headers["content-type"]).toBe(
      "application/json",
    );
    expect((await get("/openapi/v2", { accept: "text/html" })).code).toBe(406);
  });

  test("costs nothing when it has not changed", async () => {
    const { etag = "" } = (await get("/openapi/v2")).headers;
    const again = await get("/openapi/v2", { "if-none-match": `"other", ${etag}` });
    expect([again.code, again.bytes.length]).toEqual([304, 0]);
    // Another format has another ETag.
    expect((await get("/openapi/v2", { accept: VERSION_2, "if-none-match": etag })).code).toBe(200);
  });

  test("travels compressed to clients that can take it", async () => {
    const plain = await get("/openapi/v2");
    const small = await get("/openapi/v2", { "accept-encoding": "gzip" });
    expect(small.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true);
  });
});

describe("version 3", () => {
  test("has a document for each group version, at an address that names its content", async () => {
    const index = JSON.parse((await get("/openapi/v3")).text) as { paths: object };
    expect(Object.keys(index.paths)).toEqual([
      "api",
      "api/v1",
      "apis",
      "apis/apps",
      "apis/apps/v1",
      "version",
      "watch",
    ]);
    const address = await addressOf("apis/apps/v1");
    expect(address).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/);
    const { headers, text } = await get(address);
    expect(headers["cache-control"]).toMatch(/immutable/);
    expect(JSON.parse(text)).toMatchObject({
      openapi: "3.0.0",
      paths: { "/apis/apps/v1/namespaces/{namespace}/deployments": { post: { tags: ["apps_v1"] } } },
    });
    expect((await get(address, { "if-none-match": headers.etag ?? "" })).code).toBe(304);
  });

  test("leads from the address of other content to that of the present one", async () => {
    const old = await get("/openapi/v3/api/v1?hash=ABC");
    expect([old.code, old.headers.location]).toEqual([301, await addressOf("api/v1")]);
    const unnamed = await get("/openapi/v3/api/v1");
    expect([unnamed.code, unnamed.headers["cache-control"]]).toEqual([200, "no-cache, private"]);
  });

  test("comes as protobuf too", async () => {
    const { headers, bytes } = await get("/openapi/v3/api/v1", { accept: VERSION_3 });
    expect(headers["content-type"]).toBe(VERSION_3.replace("@", "."));
    expect(bytes.subarray(0, 7)).toEqual(Buffer.from("\x0a\x053.0.0"));
  });

  test("has no empty list of parameters", async () => {
    const { text } = await get("/openapi/v3/apis/apps/v1");
    const { paths } = JSON.parse(text) as { paths: Record<string, { get?: object }> };
    expect(paths["/apis/apps/v1/"]?.get).toMatchObject({ operationId: expect.any(String) });
    expect(text).not.toMatch(/"parameters": ?\[\]/);
  });

  test("has no document for what is not served", async () => {
    expect((await get("/openapi/v3/apis/batch/v1")).code).toBe(404);
    expect((await get("/openapi/v3/")).code).toBe(200);
    expect((await admin.post("/openapi/v3/api/v1", {})).code).toBe(405);
  });
});

// Objects move between servers of two releases; neither removes the fields that only the other shows.
test("a field that is newer than the release is not shown, but taken and kept", async () => {
  const { definitions } = JSON.parse((await get("/openapi/v2")).text) as { definitions: Record<string, object> };
  const model = definitions["io.orch.api.apps.v1.StatefulSetSpec"];
  expect(model).toMatchObject({ properties: { replicas: {}, persistentVolumeClaimRetentionPolicy: {} } });
  expect(model).not.toHaveProperty(["properties", "ordinals"]);
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } };
  const spec = { serviceName: "web", selector: { matchLabels: labels }, template, ordinals: { start: 3 } };
  const path = "/apis/apps/v1/namespaces/default/statefulsets";
  const created = await admin.post(`${path}?fieldValidation=Strict`, { metadata: { name: "web" }, spec });
  expect([created.code, created.headers["warning"]]).toEqual([201, undefined]);
  expect((await get(`${path}/web`)).json.spec).toMatchObject({ ordinals: { start: 3 } });
});
