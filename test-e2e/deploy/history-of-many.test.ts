// The history of many objects over several worker processes, and admission of rollbacks and restores by a webhook.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { AdmissionWebhooks } from "../harness/admission-webhook";
import type { ApiObject } from "../harness/api-object";
import { type ApiServer, startApiServer } from "../harness/api-server";
import { configMap, configMapsPath, expectStatus, freshNamespace, inParallel } from "../harness/config-maps";
import { Authority } from "../harness/credentials";
import { startEtcd } from "../harness/etcd";
import { useWorkplace } from "../harness/processes";
import { refuses } from "../harness/webhook-behaviours";
import { enforce, hooked, lift } from "../harness/webhook-configurations";

const OBJECTS = 1000;

const workplace = useWorkplace();
let server: ApiServer;
let webhooks: AdmissionWebhooks;

beforeAll(async () => {
  const authority = new Authority(workplace);
  webhooks = await new AdmissionWebhooks(authority, { names: ["hook.default.svc"] }).start();
  const etcd = await startEtcd(workplace);
  server = await startApiServer(workplace, {
    authority,
    store: { kind: "etcd", endpoints: etcd.endpoints },
    flags: ["--workers=2", "--history=configmaps=5"],
  });
}, 90_000);
afterAll(() => webhooks?.stop());

const post = (path: string) => server.admin.send(path, { method: "POST" });

test("a thousand objects are rolled back, through several workers", async () => {
  const { admin } = server;
  const maps = await freshNamespace(admin, "many");
  const first = new Map<number, string>();
  await inParallel(OBJECTS, 16, async (at) => {
    const made = await expectStatus(201, admin.post(maps, configMap(`o${at}`, { state: `first ${at}` })));
    first.set(at, made.metadata.resourceVersion);
    await expectStatus(200, admin.put(`${maps}/o${at}`, configMap(`o${at}`, { state: "second" })));
  });
  await inParallel(OBJECTS, 16, async (at) => {
    const back = await expectStatus(200, post(`${maps}/o${at}/rollback?revision=${first.get(at)}`));
    expect(back.data).toEqual({ state: `first ${at}` });
  });
  const { items = [] } = await expectStatus(200, admin.get(maps));
  const states = new Map(items.map(({ metadata, data }) => [metadata.name, data?.["state"]]));
  for (let at = 0; at < OBJECTS; at += 1) expect(states.get(`o${at}`)).toBe(`first ${at}`);
  await inParallel(OBJECTS / 50, 8, async (at) => {
    const { items: told } = await expectStatus(200, admin.get(`${maps}/o${at * 50}/history`));
    const verbs = (told as unknown as readonly { change: string; patch?: readonly object[] }[]).map(
      ({ change, patch }) => [change, patch?.length ?? 0],
    );
    expect(verbs).toEqual([
      ["updated", 1],
      ["updated", 1],
      ["created", 0],
    ]);
  });
}, 120_000);

test("a webhook refuses a rollback and a restore as it refuses the writes that they are", async () => {
  const { admin } = server;
  const path = `${configMapsPath()}/hooked`;
  const red = await expectStatus(201, admin.post(configMapsPath(), hooked("undo", "hooked", { data: { a: "red" } })));
  await expectStatus(200, admin.put(path, hooked("undo", "hooked", { data: { a: "blue" } })));
  await enforce(admin, webhooks, {
    kind: "validating",
    name: "undo",
    entries: [{ name: "one", clientConfig: webhooks.at("/undo") }],
    paths: ["/undo"],
  });
  const { resourceVersion } = red.metadata;
  await expectStatus(200, post(`${path}/rollback?revision=${resourceVersion}&dryRun=All`));
  const [call] = webhooks.askedAt("/undo").slice(-1);
  expect(call?.review.request).toMatchObject({ operation: "UPDATE", object: { data: { a: "red" } } });
  webhooks.does("/undo", refuses({ message: "not today" }));
  const refused = (answer: ApiObject) =>
    expect((answer as unknown as { message: string }).message).toMatch(/denied the request: not today/);
  refused(await expectStatus(400, post(`${path}/rollback?revision=${resourceVersion}`)));
  expect((await expectStatus(200, admin.get(path))).data).toEqual({ a: "blue" });
  await lift(admin, "validating", "undo");
  await expectStatus(200, admin.delete(path));
  await enforce(admin, webhooks, {
    kind: "validating",
    name: "undo",
    entries: [{ name: "one", clientConfig: webhooks.at("/undo") }],
    paths: ["/undo"],
  });
  webhooks.does("/undo", refuses({ message: "not today" }));
  refused(await expectStatus(400, post(`${path}/restore`)));
  await expectStatus(404, admin.get(path));
}, 60_000);
