// A protobuf-only client of an independent implementation, against two replicas; and kubectl, which creates objects in
// protobuf.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { startEtcd } from "./harness/etcd";
import type { Answer } from "./harness/https-client";
import { MORE_CLIENTS, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";
import { type Enveloped, type Message, PROTOBUF, ProtobufMessages } from "./harness/protobuf-messages";

const workplace = useWorkplace();
const messages = new ProtobufMessages(["core/v1", "apps/v1"]);
let one: ApiServer;
let other: ApiServer;

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  [one, other] = await startReplicas(workplace, etcd.endpoints);
}, 60_000);

const HEADERS = { accept: PROTOBUF, "content-type": PROTOBUF };

async function send(server: ApiServer, method: string, path: string, sent?: Enveloped): Promise<Answer> {
  return server.admin.send(path, {
    method,
    headers: HEADERS,
    ...(sent === undefined ? {} : { body: messages.envelope(sent) }),
  });
}

/** Returns the message of an answer with the expected status. */
async function received(status: number, sent: Promise<Answer>): Promise<Enveloped> {
  const answer = await sent;
  const { message } = answer.status === status ? { message: "" } : messages.open(answer.bytes).message;
  expect([answer.status, answer.headers["content-type"], message]).toEqual([status, PROTOBUF, ""]);
  return messages.open(answer.bytes);
}

const POD: Message = {
  metadata: { name: "p", labels: { app: "a" }, annotations: { note: "naïve 🚀" } },
  spec: {
    containers: [
      {
        name: "c",
        image: "registry.example/c:1",
        resources: { limits: { cpu: { string: "500m" }, memory: { string: "64Mi" } } },
        livenessProbe: { handler: { httpGet: { path: "/", port: { type: "1", strVal: "http" } } } },
        ports: [{ name: "http", containerPort: 8080 }],
      },
    ],
    activeDeadlineSeconds: "2000000000",
  },
};

test("an object lives its life, each step through the replica that did not take the one before", async () => {
  const path = "/api/v1/namespaces/default/pods";
  const pod = (message: Message): Enveloped => ({ apiVersion: "v1", kind: "Pod", message });
  const before = await received(200, send(one, "GET", path));
  const { resourceVersion } = before.message["metadata"] as { resourceVersion: string };
  const watched = send(other, "GET", `${path}?watch=1&timeoutSeconds=5&resourceVersion=${resourceVersion}`);

  const created = await received(201, send(one, "POST", path, pod(POD)));
  expect(created).toMatchObject({ apiVersion: "v1", kind: "Pod", message: POD });
  expect(created.message).toMatchObject({
    metadata: { creationTimestamp: { seconds: expect.stringMatching(/^\d{10}$/), nanos: 0 } },
    spec: { restartPolicy: "Always" },
    status: { phase: "Pending" },
  });

  const read = await received(200, send(other, "GET", `${path}/p`));
  expect(read).toEqual(created);

  const metadata = read.message["metadata"] as Message;
  const labels = { app: "b" };
  const updated = await received(
    200,
    send(one, "PUT", `${path}/p`, pod({ ...read.message, metadata: { ...metadata, labels } })),
  );
  expect(updated.message).toMatchObject({ metadata: { labels }, spec: read.message["spec"] });
  const stale = await received(409, send(other, "PUT", `${path}/p`, pod(read.message)));
  expect(stale).toMatchObject({ kind: "Status", message: { reason: "Conflict", code: 409 } });

  const list = await received(200, send(other, "GET", `${path}?labelSelector=app%3Db`));
  expect(list).toMatchObject({ kind: "PodList", message: { items: [updated.message] } });

  const options = { apiVersion: "v1", kind: "DeleteOptions", message: { gracePeriodSeconds: "0" } };
  await received(200, send(one, "DELETE", `${path}/p`, options));
  await received(404, send(other, "GET", `${path}/p`));

  const stream = await watched;
  expect(stream.headers["content-type"]).toBe(`${PROTOBUF};stream=watch`);
  const events = messages.events(stream.bytes);
  expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  expect(events[0]?.object).toEqual(created);
  expect(events[1]?.object).toEqual(updated);
}, 30_000);

test("an object written as JSON is read as protobuf, and vice versa", async () => {
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "c" }] } };
  const strategy = {
    type: "RollingUpdate",
    rollingUpdate: { maxSurge: { type: "1", strVal: "30%" }, maxUnavailable: { type: "0", intVal: 2 } },
  };
  const message = { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template, strategy } };
  await received(201, send(one, "POST", path, { apiVersion: "apps/v1", kind: "Deployment", message }));
  const inJson = (await other.admin.get(`${path}/d`)).object();
  expect(inJson).toMatchObject({
    spec: { replicas: 1, strategy: { rollingUpdate: { maxSurge: "30%", maxUnavailable: 2 } } },
  });
  expect(
    (await other.admin.put(`${path}/d`, { ...inJson, spec: { ...(inJson["spec"] as object), replicas: 5 } })).status,
  ).toBe(200);
  const read = await received(200, send(one, "GET", `${path}/d`));
  expect(read.message).toMatchObject({ spec: { replicas: 5, strategy } });
});

const CREATED: readonly (readonly [string, string, object])[] = [
  ["namespace shop", "", {}],
  ["configmap c --from-literal=a=b", "configmap/c", { data: { a: "b" } }],
  ["secret generic s --from-literal=a=b", "secret/s", { data: { a: "Yg==" } }],
  ["serviceaccount a", "serviceaccount/a", {}],
  ["quota q --hard=cpu=1500m,memory=1Gi", "quota/q", { spec: { hard: { cpu: "1500m", memory: "1Gi" } } }],
  ["service clusterip b --tcp=80:web", "service/b", { spec: { ports: [{ port: 80, targetPort: "web" }] } }],
  ["deployment d --image=i --replicas=2", "deployment/d", { spec: { replicas: 2 } }],
  ["cronjob j --image=i --schedule=@daily", "cronjob/j", { spec: { schedule: "@daily" } }],
  ["poddisruptionbudget p --selector=a=b --min-available=50%", "pdb/p", { spec: { minAvailable: "50%" } }],
  ["ingress i --rule=a.example/b=b:80", "ingress/i", { spec: { rules: [{ host: "a.example" }] } }],
  ["role r --verb=get --resource=pods", "role/r", { rules: [{ verbs: ["get"], resources: ["pods"] }] }],
];

// Releases since 1.31 send and prefer protobuf for kinds they know.
for (const program of MORE_CLIENTS) {
  test(`${program} creates objects as it means them`, async () => {
    const client = (await startWithKubectl(workplace)).client.of(program);
    const run = (args: readonly string[]) => client.print(args);
    for (const [create, name, expected] of CREATED) {
      const namespace = name === "" ? [] : ["--namespace=shop"];
      expect(await run(["create", ...create.split(" "), ...namespace])).toMatch(/ created\n$/);
      if (name === "") continue;
      expect(JSON.parse(await run(["get", name, "-o", "json", ...namespace]))).toMatchObject(expected);
    }
  }, 120_000);
}
