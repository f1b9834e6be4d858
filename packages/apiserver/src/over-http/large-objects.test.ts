// Large objects are written and rendered by other threads. The answers are the same as without these threads.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loadSchema, readEnvelope, vocabularyOf } from "@orch/schema";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient, CONFIG_MAPS } from "../testing/api-client";

const schema = loadSchema(vocabularyOf("orch"));
const { mediaTypes, groups } = schema.vocabulary;
const TABLE = `application/json;as=Table;g=${groups.meta};v=v1`;

/** Both servers receive the same requests; only one has other threads. */
let servers: readonly RunningServer[] = [];
let clients: readonly ApiClient[] = [];

beforeAll(async () => {
  servers = await Promise.all([1, 0].map((threads) => startServer({ flags: { "large-object-threads": threads } })));
  clients = servers.map((server) => new ApiClient(server, server.admin));
});

afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns both answers, after comparing them */
async function askBoth({ method, path, body, headers = {} }: Asked): Promise<readonly Answer[]> {
  const sent = { headers, ...(body === undefined ? {} : { body }) };
  const answers = await Promise.all(clients.map((client) => client.ask(method, path, sent)));
  const [one, other] = answers.map(seen);
  expect(one).toEqual(other);
  return answers;
}

/** The comparable part of an answer: generated values and times are replaced. */
const seen = ({ code, headers, bytes }: Answer) => ({
  code,
  type: headers["content-type"],
  warning: headers["warning"],
  allow: headers["allow"],
  retry: headers["retry-after"],
  text: textOf(bytes, headers["content-type"] ?? "")
    .replaceAll(/"?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"?/g, "uid")
    .replaceAll(/10(\.\d+){3}/g, "address")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "time")
    .replaceAll(/\d+s\b/g, "age")
    .replaceAll(/"resourceVersion": ?"\d+"/g, "version")
    .replaceAll(/resourceVersion: "\d+"/g, "version"),
});

/** Returns the text of an answer; only the length of protobuf frames. */
function textOf(bytes: Buffer, type: string): string {
  if (type === `${mediaTypes.protobuf};stream=watch`) return String(bytes.length);
  if (type !== mediaTypes.protobuf) return bytes.toString();
  const envelope = readEnvelope(bytes);
  const [version = "", group = ""] = envelope.apiVersion.split("/").reverse();
  return JSON.stringify(schema.objectType(group, version, envelope.kind)?.protobuf?.decode(envelope));
}

const keys = (count: number, value = "") =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, value]));

const wrong = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`wrong/${at}`, ""]));

const map = (name: string, count: number, value = "") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: keys(count, value),
});

const MANY = 3000;
const of = (name: string) => `${CONFIG_MAPS}/${name}`;

const deployment = (name: string, env: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            env: Array.from({ length: env }, (_, at) => ({ name: `E${at}`, value: String(at) })),
          },
        ],
      },
    },
  },
});

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PODS = "/api/v1/namespaces/default/pods";
const MERGE = { "content-type": "application/merge-patch+json" };
const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };
const JSON_PATCH = { "content-type": "application/json-patch+json" };
const APPLY = { "content-type": "application/apply-patch+yaml" };

describe("a large object", () => {
  test("is created, changed in every way and deleted as any other", async () => {
    const path = of("all-ways");
    const codes: number[] = [];
    const then = async (asked: Asked) => codes.push((await askBoth(asked))[0]?.code ?? 0);
    await then({ method: "POST", path: `${CONFIG_MAPS}?dryRun=All`, body: map("all-ways", MANY) });
    await then({ method: "POST", path: `${CONFIG_MAPS}?fieldManager=me`, body: map("all-ways", MANY) });
    await then({ method: "POST", path: CONFIG_MAPS, body: map("all-ways", MANY) });
    await then({ method: "PUT", path, body: map("all-ways", MANY, "put") });
    await then({ method: "PATCH", path, body: { data: { "key-1": null, added: "x" } }, headers: MERGE });
    await then({ method: "PATCH", path, body: { data: { added: "y" } }, headers: STRATEGIC });
    await then({
      method: "PATCH",
      path,
      body: [{ op: "replace", path: "/data/added", value: "z" }] as object,
      headers: JSON_PATCH,
    });
    await then({
      method: "PATCH",
      path: `${path}?fieldManager=applier`,
      body: map("all-ways", MANY, "no"),
      headers: APPLY,
    });
    await then({
      method: "PATCH",
      path: `${path}?fieldManager=applier&force=true`,
      body: map("all-ways", MANY, "yes"),
      headers: APPLY,
    });
    await then({ method: "DELETE", path, body: { preconditions: { uid: "another" } } });
    await then({ method: "DELETE", path: `${path}?dryRun=All` });
    await then({ method: "DELETE", path });
    await then({ method: "DELETE", path });
    await then({ method: "GET", path });
    expect(codes).toEqual([201, 201, 409, 200, 200, 200, 200, 409, 200, 409, 200, 200, 404, 404]);
  });

  test("is shown in every form, alone, in lists and in watches", async () => {
    await askBoth({ method: "POST", path: CONFIG_MAPS, body: map("shown", MANY, "x") });
    for (const accept of [
      "application/json",
      "application/yaml",
      mediaTypes.protobuf,
      TABLE,
      `${TABLE},application/json`,
      `application/json;as=PartialObjectMetadata;g=${groups.meta};v=v1`,
    ]) {
      await askBoth({ method: "GET", path: of("shown"), headers: { accept } });
      await askBoth({ method: "GET", path: `${of("shown")}?pretty=1`, headers: { accept } });
      const ofList = accept.replace("PartialObjectMetadata", "PartialObjectMetadataList");
      await askBoth({
        method: "GET",
        path: `${CONFIG_MAPS}?fieldSelector=metadata.name=shown`,
        headers: { accept: ofList },
      });
      await askBoth({ method: "GET", path: `${CONFIG_MAPS}?pretty=1`, headers: { accept: ofList } });
    }
    const path = `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=shown`;
    for (const accept of ["application/json", TABLE, `${mediaTypes.protobuf};stream=watch`]) {
      const [{ bytes } = { bytes: Buffer.alloc(0) }] = await askBoth({ method: "GET", path, headers: { accept } });
      expect(bytes.length).toBeGreaterThan(0);
    }
  });

  test("may be so by the length of its texts alone", async () => {
    const text = '"\\n'.repeat(400_000);
    const { spec } = deployment("texts", 0).spec.template;
    const [container] = spec.containers;
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "texts" }, spec };
    const long = { ...pod, spec: { ...spec, containers: [{ ...container, args: [text] }] } };
    const path = `${PODS}/texts`;
    const [created] = await askBoth({ method: "POST", path: PODS, body: long });
    expect(created?.code).toBe(201);
    await askBoth({ method: "PATCH", path, body: { metadata: { labels: { a: "b" } } }, headers: MERGE });
    for (const accept of ["application/json", "application/yaml", mediaTypes.protobuf, TABLE])
      await askBoth({ method: "GET", path, headers: { accept } });
    await askBoth({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` });
  });

  test("is a pod of fewer bytes, too, and changed through all of its parts", async () => {
    const { spec } = deployment("long", 10).spec.template;
    const metadata = { name: "long", annotations: { a: "x".repeat(40 * 1024) } };
    const long = { apiVersion: "v1", kind: "Pod", metadata, spec };
    const path = `${PODS}/long`;
    const codes: number[] = [];
    const then = async (asked: Asked) => codes.push((await askBoth(asked))[0]?.code ?? 0);
    await then({ method: "POST", path: PODS, body: long });
    await then({ method: "PATCH", path, body: { metadata: { labels: { a: "b" } } }, headers: STRATEGIC });
    await then({ method: "PATCH", path, body: { spec: { hostname: "y" } }, headers: MERGE });
    const target = { kind: "Node", name: "worker" };
    await then({ method: "POST", path: `${path}/binding`, body: { metadata: { name: "long" }, target } });
    await then({ method: "PATCH", path: `${path}/status`, body: { status: { phase: "Running" } }, headers: MERGE });
    await then({ method: "POST", path: `${path}/eviction`, body: { metadata: { name: "other" } } });
    await then({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` });
    expect(codes).toEqual([201, 200, 422, 201, 200, 400, 200]);
  });

  test("is shown in the version that is asked for, and read and written through its parts", async () => {
    await askBoth({ method: "POST", path: DEPLOYMENTS, body: deployment("web", MANY) });
    await askBoth({ method: "GET", path: `${DEPLOYMENTS}/web/scale` });
    await askBoth({
      method: "PATCH",
      path: `${DEPLOYMENTS}/web/scale`,
      body: { spec: { replicas: 3 } },
      headers: MERGE,
    });
    await askBoth({
      method: "PATCH",
      path: `${DEPLOYMENTS}/web/status`,
      body: { status: { replicas: 2 } },
      headers: MERGE,
    });
    const [answer] = await askBoth({ method: "GET", path: `${DEPLOYMENTS}/web` });
    expect(answer?.json).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 }, status: { replicas: 2 } });
  });

  test("a large pod can be bound, evicted and selected by fields", async () => {
    const { spec } = deployment("p", MANY).spec.template;
    await askBoth({
      method: "POST",
      path: PODS,
      body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec },
    });
    const target = { apiVersion: "v1", kind: "Node", name: "n1" };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target };
    await askBoth({ method: "POST", path: `${PODS}/p/binding`, body: binding });
    const [found] = await askBoth({
      method: "GET",
      path: `${PODS}?fieldSelector=spec.nodeName=n1,status.phase=Pending`,
    });
    expect(found?.json.items.length).toBe(1);
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
    const [evicted] = await askBoth({ method: "POST", path: `${PODS}/p/eviction`, body: eviction });
    expect(evicted?.code).toBe(201);
  });

  test("in other texts and under drawn names is taken as well", async () => {
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n${Object.keys(keys(MANY))
      .map((key) => `  ${key}: ""\n`)
      .join("")}`;
    const inYaml = { "content-type": "application/yaml" };
    const [created] = await askBoth({ method: "POST", path: CONFIG_MAPS, body: yaml, headers: inYaml });
    expect(created?.code).toBe(201);
    const form = schema.objectType("", "v1", "ConfigMap")?.protobuf;
    const bytes = form?.encode(map("protobuf", MANY));
    const [encoded] = await askBoth({
      method: "POST",
      path: CONFIG_MAPS,
      body: bytes ?? "",
      headers: { "content-type": mediaTypes.protobuf, accept: mediaTypes.protobuf },
    });
    expect(encoded?.code).toBe(201);
    const drawn = { ...map("", MANY), metadata: { generateName: "drawn-" } };
    for (const answer of await Promise.all(clients.map((client) => client.post(CONFIG_MAPS, drawn))))
      expect([answer.code, answer.json.metadata.name]).toEqual([201, expect.stringMatching(/^drawn-.{5}$/)]);
    const deleted = await Promise.all(clients.map((client) => client.delete(CONFIG_MAPS)));
    expect(deleted.map(({ code }) => code)).toEqual([200, 200]);
    await askBoth({ method: "GET", path: CONFIG_MAPS });
  });

  test.each<[string, Asked, number]>([
    ["of another kind", { method: "POST", path: PODS, body: map("other", MANY) }, 400],
    ["with values of another type", { method: "POST", path: CONFIG_MAPS, body: { ...map("x", MANY), data: 5 } }, 400],
    [
      "with a thousand errors",
      { method: "POST", path: CONFIG_MAPS, body: { ...map("x", 0), data: { ...keys(MANY), ...wrong(1500) } } },
      422,
    ],
    [
      "with unknown fields",
      { method: "POST", path: `${CONFIG_MAPS}?fieldValidation=Strict`, body: { ...map("x", MANY), more: 1 } },
      400,
    ],
    [
      "with warnings",
      { method: "POST", path: `${CONFIG_MAPS}?fieldValidation=Warn`, body: { ...map("warned", MANY), more: 1 } },
      201,
    ],
    [
      "in a namespace that does not exist",
      { method: "POST", path: "/api/v1/namespaces/none/configmaps", body: map("x", MANY) },
      404,
    ],
    ["with a wrong option", { method: "POST", path: `${CONFIG_MAPS}?dryRun=Some`, body: map("x", MANY) }, 422],
    [
      "cut in the middle",
      { method: "POST", path: CONFIG_MAPS, body: JSON.stringify(map("x", MANY)).slice(0, -9) },
      400,
    ],
    [
      "as a service",
      {
        method: "POST",
        path: "/api/v1/namespaces/default/services",
        body: {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "s" },
          spec: { selector: keys(MANY, "x"), ports: [{ port: 80 }] },
        },
      },
      201,
    ],
  ])("%s is answered as a small one would be", async (_what, asked, code) => {
    const [answer] = await askBoth(asked);
    expect(answer?.code).toBe(code);
  });
});

test("others are answered while a large object is written", async () => {
  const [client] = clients as [ApiClient];
  let over = false;
  const written = client.post(CONFIG_MAPS, map("slow", 60_000)).finally(() => {
    over = true;
  });
  const during: boolean[] = [];
  for (let asked = 0; asked < 20; asked += 1) {
    expect((await client.get("/api/v1/namespaces/default")).code).toBe(200);
    during.push(!over);
  }
  expect((await written).code).toBe(201);
  expect(during).toEqual(during.map(() => true));
});

test("a body of more values than any object has is refused, and so is a question as long as an object", async () => {
  const dense = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"more":[${"0,".repeat(400_000)}0]}`;
  const [answer] = await askBoth({ method: "POST", path: CONFIG_MAPS, body: dense });
  expect(answer?.json).toMatchObject({
    code: 413,
    message: "Request entity too large: the body may contain at most 300000 values",
  });
  const review = {
    apiVersion: `${groups.authorization}/v1`,
    kind: "SubjectAccessReview",
    spec: { user: "u", groups: Object.keys(keys(MANY)), resourceAttributes: { verb: "get", resource: "pods" } },
  };
  const path = `/apis/${groups.authorization}/v1/subjectaccessreviews`;
  const [refused] = await askBoth({ method: "POST", path, body: review });
  expect(refused?.code).toBe(413);
});
