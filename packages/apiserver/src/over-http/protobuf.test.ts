import { request } from "node:https";
import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  ENVELOPE_BACK,
  type JsonObject,
  loadSchema,
  type ProtobufForm,
  readEnvelope,
  vocabularyOf,
} from "@orch/schema";
import type { RunningServer } from "../server/start-server";
import { type Answer, type ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const schema = loadSchema(vocabularyOf("orch"));
const { groups, mediaTypes } = schema.vocabulary;
const ACCEPT = { accept: mediaTypes.protobuf };
const SENT = { "content-type": mediaTypes.protobuf };

let server: RunningServer;
let admin: ApiClient;

useServer((running) => ({ server, admin } = running));

function formOf(apiVersion: string, kind: string): ProtobufForm {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const form = schema.objectType(group, version, kind)?.protobuf;
  if (form === undefined) throw new Error(`${kind} has no protobuf form`);
  return form;
}

const encode = (object: JsonObject): Buffer =>
  formOf(String(object["apiVersion"]), String(object["kind"])).encode(object);

function decode(bytes: Buffer): JsonObject {
  const envelope = readEnvelope(bytes);
  const { apiVersion, kind } = envelope;
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const type = schema.objectType(group, version, kind);
  if (type === undefined) throw new Error(`no kind ${kind}`);
  return type.decode(formOf(apiVersion, kind).decode(envelope)).value;
}

function send(method: string, path: string, object: JsonObject): Promise<Answer> {
  return admin.ask(method, path, { body: encode(object), headers: { ...SENT, ...ACCEPT } });
}

function inProtobuf(answer: Answer): JsonObject {
  expect(answer.headers["content-type"]).toBe(mediaTypes.protobuf);
  return decode(answer.bytes);
}

describe("an object in protobuf", () => {
  test("is created, read, changed and deleted", async () => {
    const created = await send("POST", CONFIG_MAPS, configMap("one", { a: "1" }));
    expect(created.code).toBe(201);
    const object = inProtobuf(created);
    expect(object).toMatchObject({
      kind: "ConfigMap",
      metadata: { name: "one", namespace: "default" },
      data: { a: "1" },
    });

    const read = await admin.get(`${CONFIG_MAPS}/one`, { headers: ACCEPT });
    expect(inProtobuf(read)).toEqual((await admin.get(`${CONFIG_MAPS}/one`)).json);

    const changed = await send("PUT", `${CONFIG_MAPS}/one`, { ...object, data: { a: "2" } });
    expect(changed.code).toBe(200);
    expect(inProtobuf(changed)).toMatchObject({ data: { a: "2" } });

    const options = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "another" } };
    const refused = await send("DELETE", `${CONFIG_MAPS}/one`, options);
    expect(refused.code).toBe(409);
    expect(inProtobuf(refused)).toMatchObject({ kind: "Status", apiVersion: "v1", reason: "Conflict", code: 409 });

    const deleted = await send("DELETE", `${CONFIG_MAPS}/one`, { ...options, preconditions: null });
    expect(inProtobuf(deleted)).toMatchObject({ kind: "Status", status: "Success", details: { name: "one" } });
  });

  test("in another version than the stored one", async () => {
    const metadata = { name: "versions" };
    const deploymentSpec = {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } },
    };
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const created = await admin.post(deployments, { metadata, spec: deploymentSpec });
    expect(created.code).toBe(201);
    const scale = inProtobuf(await admin.get(`${deployments}/versions/scale`, { headers: ACCEPT }));
    expect(scale).toMatchObject({ kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 1 } });
    const scaled = await send("PUT", `${deployments}/versions/scale`, { ...scale, spec: { replicas: 3 } });
    expect(inProtobuf(scaled)).toMatchObject({ spec: { replicas: 3 } });
  });

  test("with objects inside it that have a kind of their own, is put back as it was read", async () => {
    const path = "/apis/apps/v1/namespaces/default/statefulsets";
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const created = await admin.post(path, {
      metadata: { name: "claims" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        serviceName: "s",
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } },
        volumeClaimTemplates: [claim, { kind: "Other", apiVersion: "x.example/v1", ...claim }],
      },
    });
    const named = { kind: "PersistentVolumeClaim", apiVersion: "v1" };
    expect(created.json.spec).toMatchObject({ volumeClaimTemplates: [named, named] });
    const read = await admin.get(`${path}/claims`, { headers: ACCEPT });
    const back = await admin.ask("PUT", `${path}/claims`, { body: read.bytes, headers: { ...SENT, ...ACCEPT } });
    expect([back.code, back.bytes.equals(read.bytes)]).toEqual([200, true]);
    expect((await admin.get(`${path}/claims`)).json).toEqual(created.json);
  });

  test("that asks a question is answered", async () => {
    const apiVersion = `${groups.authorization}/v1`;
    const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
    const review = { apiVersion, kind: "SelfSubjectAccessReview", spec };
    const answer = await send("POST", `/apis/${apiVersion}/selfsubjectaccessreviews`, review);
    expect(inProtobuf(answer)).toMatchObject({ kind: "SelfSubjectAccessReview", status: { allowed: true } });
  });
});

describe("a list in protobuf", () => {
  const path = "/api/v1/namespaces/lists/configmaps";
  beforeAll(async () => {
    await admin.post("/api/v1/namespaces", { metadata: { name: "lists" } });
    for (const name of ["a", "b", "c"]) await admin.post(path, configMap(name, { text: name.repeat(600_000) }));
  });

  test.each(["", "?limit=2", "?labelSelector=none"])("the query '%s' finds what it finds in JSON", async (query) => {
    const list = inProtobuf(await admin.get(path + query, { headers: ACCEPT }));
    const { json } = await admin.get(path + query);
    // Protobuf does not distinguish an empty list from an absent one.
    const items = json.items.length === 0 ? null : json.items;
    // The server may write objects of its own between the two lists: both the version and the token then differ.
    const { continue: token } = json.metadata as { readonly continue?: string };
    const differing = { resourceVersion: expect.any(String), ...(token && { continue: expect.any(String) }) };
    expect(list).toEqual({ ...json, metadata: { ...json.metadata, ...differing }, items });
  });

  test("a list of metadata only", async () => {
    for (const version of ["v1", "v1beta1"]) {
      const accept = `${mediaTypes.protobuf};as=PartialObjectMetadataList;g=${groups.meta};v=${version}`;
      const list = inProtobuf(await admin.get(path, { headers: { accept } }));
      expect(list).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: `${groups.meta}/${version}` });
      expect(list["items"]).toMatchObject([{ metadata: { name: "a" } }, { metadata: { name: "b" } }, {}]);
    }
    const accept = `${mediaTypes.protobuf};as=PartialObjectMetadata;g=${groups.meta};v=v1`;
    const one = inProtobuf(await admin.get(`${path}/a`, { headers: { accept } }));
    expect(one).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: `${groups.meta}/v1`,
      metadata: (await admin.get(`${path}/a`)).json.metadata,
    });
  });
});

describe("a watch in protobuf", () => {
  test("sends events in frames", async () => {
    const path = "/api/v1/namespaces/default/secrets";
    const { metadata } = (await admin.get(path)).json;
    const events = watch(
      `${path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`,
    );
    await admin.post(path, { metadata: { name: "watched" } });
    await admin.put(`${path}/watched`, { metadata: { name: "watched" }, data: { a: "AA==" } });
    await admin.delete(`${path}/watched`);
    expect(await events).toMatchObject([
      { type: "ADDED", object: { kind: "Secret", apiVersion: "v1", metadata: { name: "watched" } } },
      { type: "MODIFIED", object: { data: { a: "AA==" } } },
      { type: "DELETED", object: { data: { a: "AA==" } } },
      { type: "BOOKMARK", object: { kind: "Secret", metadata: { resourceVersion: expect.any(String) } } },
    ]);
  });

  /** Returns all events up to the end. */
  function watch(path: string): Promise<{ type: string; object: JsonObject }[]> {
    const { ca, url } = server;
    const options = { ca, cert: server.admin.certificate, key: server.admin.key, headers: ACCEPT };
    return new Promise((resolve, reject) => {
      const sent = request(url + path, options, async (response) => {
        expect(response.headers["content-type"]).toBe(`${mediaTypes.protobuf};stream=watch`);
        const pieces: Buffer[] = [];
        for await (const piece of response) pieces.push(piece as Buffer);
        resolve(eventsIn(Buffer.concat(pieces)));
      });
      sent.on("error", reject).end();
    });
  }

  function eventsIn(bytes: Buffer): { type: string; object: JsonObject }[] {
    const events: { type: string; object: JsonObject }[] = [];
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUInt32BE(at);
      const message = bytes.subarray(at + 4, at + 4 + length);
      const typeLength = message[1] as number;
      const type = message.subarray(2, 2 + typeLength).toString();
      const object = message.subarray(message.indexOf(Buffer.from("6b387300", "hex")));
      expect(object.subarray(-ENVELOPE_BACK.length)).toEqual(ENVELOPE_BACK);
      events.push({ type, object: decode(object) });
      at += 4 + length;
    }
    return events;
  }
});

describe("unsupported requests", () => {
  test("a failure is told in protobuf, if that is what the client reads", async () => {
    const missing = await admin.get(`${CONFIG_MAPS}/missing`, { headers: ACCEPT });
    expect(missing.code).toBe(404);
    expect(inProtobuf(missing)).toMatchObject({ kind: "Status", reason: "NotFound", details: { name: "missing" } });
  });

  test("documents that have no kind stay in JSON", async () => {
    expect((await admin.get("/version", { headers: { accept: `${mediaTypes.protobuf},*/*` } })).code).toBe(200);
  });

  const other = configMap("a");
  test.each<[string, Buffer, number, string]>([
    ["another prefix", Buffer.from("k8s?"), 400, "does not begin with the prefix 6b 38 73 00"],
    ["nothing", Buffer.alloc(0), 400, "does not begin with the prefix 6b 38 73 00"],
    ["an end too early", encode(configMap("a")).subarray(0, 30), 400, "the data ends within a field"],
    ["another kind", encode({ ...other, kind: "Secret" }), 400, "cannot be handled as a ConfigMap"],
    ["another version", encode({ kind: "Deployment", apiVersion: "apps/v1" }), 400, "cannot be handled as a ConfigMap"],
  ])("a body that is %s", async (_name, body, code, message) => {
    const answer = await admin.ask("POST", CONFIG_MAPS, { body, headers: SENT });
    expect(answer.json).toMatchObject({ kind: "Status", code, message: expect.stringContaining(message) });
  });

  test("a damaged body is refused or read, never an error of the server", async () => {
    const pods = "/api/v1/namespaces/default/pods?dryRun=All";
    const spec = { containers: [{ name: "a", image: "a", ports: [{ containerPort: 1 }] }], restartPolicy: "Always" };
    const whole = encode({ apiVersion: "v1", kind: "Pod", metadata: { name: "damaged", labels: { a: "b" } }, spec });
    for (let at = 4; at < whole.length; at += 3) {
      for (const byte of [0, 0x80, 0xff]) {
        const body = Buffer.from(whole);
        body[at] = byte;
        const { code } = await admin.ask("POST", pods, { body, headers: SENT });
        expect([at, byte, code, code < 500]).toEqual([at, byte, code, true]);
      }
    }
  });

  test("a body of an unknown type", async () => {
    const answer = await admin.post(CONFIG_MAPS, "x", { "content-type": "application/xml" });
    expect(answer.code).toBe(415);
    expect(answer.json.message).toMatch(new RegExp(`application/json, application/yaml, ${mediaTypes.protobuf}$`));
  });
});

test.each(["policy/v1", "policy/v1beta1"])("a pod is evicted by a %s Eviction", async (apiVersion) => {
  const pods = "/api/v1/namespaces/default/pods";
  await admin.post(pods, { metadata: { name: "evicted" }, spec: { containers: [{ name: "c", image: "i" }] } });
  const eviction = { apiVersion, kind: "Eviction", metadata: { name: "evicted" }, deleteOptions: { dryRun: ["All"] } };
  const tried = await send("POST", `${pods}/evicted/eviction`, eviction);
  expect([tried.code, inProtobuf(tried)]).toMatchObject([201, { kind: "Status", status: "Success" }]);
  expect((await admin.get(`${pods}/evicted`)).code).toBe(200);
  const evicted = await send("POST", `${pods}/evicted/eviction`, { ...eviction, deleteOptions: {} });
  expect([evicted.code, (await admin.get(`${pods}/evicted`)).code]).toEqual([201, 404]);
});
