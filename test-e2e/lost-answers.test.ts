// Objects for every namespace and account are created once, although the controller does not receive the answer.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client } from "@orch/client";
import { chosenControllers, runControllers } from "@orch/controllers";
import { vocabularyOf } from "@orch/schema";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";
import { LosingProxy } from "./harness/losing-proxy";
import { useWorkplace } from "./harness/processes";
import { privateKeyFile } from "./harness/signing-key";

const workplace = useWorkplace();
const NAMESPACES = 12;
const vocabulary = vocabularyOf("orch");
const types = builtInTypes("orch");
const stop = new AbortController();

let server: RunningServer;
let admin: Client;
let proxy: LosingProxy;
let done: Promise<void>;

beforeAll(async () => {
  server = await startServer({ flags: { "emulated-release": "1.20" } });
  admin = adminClient(server);
  proxy = new LosingProxy(server, (method) => method === "POST" || method === "PUT");
  const { tls } = adminConnection(server);
  const connection = { server: await proxy.start(), tls, credentials: {}, namespace: "default" };
  done = runControllers(
    {
      connection,
      vocabulary: "orch",
      log: { info() {}, warn() {}, error() {} },
      controllers: chosenControllers(["serviceaccount", "serviceaccount-token", "root-ca-cert-publisher"]),
      options: { "service-account-private-key-file": privateKeyFile(workplace) },
    },
    stop.signal,
  );
}, 60_000);
afterAll(async () => {
  stop.abort();
  await done;
  await proxy.stop();
  admin.close();
  await server.stop();
});

test("accounts have one secret each, and it is theirs", async () => {
  const names = Array.from({ length: NAMESPACES }, (_, index) => `many-${index}`);
  await Promise.all(names.map((name) => admin.resource(types.namespaces).create({ metadata: { name } })));
  const accounts = async () => {
    const { items } = await admin.resource(types.serviceAccounts).list();
    return items.filter(({ metadata }) => metadata?.namespace?.startsWith("many-"));
  };
  await eventually("each has one", async () => {
    const all = await accounts();
    return all.length === NAMESPACES && all.every(({ secrets }) => secrets?.length);
  });
  const referred = (await accounts()).flatMap(({ metadata, secrets = [] }) =>
    secrets.map(({ name }) => `${metadata?.namespace}/${name}`),
  );
  const fieldSelector = `type=${vocabulary.secretTypes.serviceAccountToken}`;
  const { items } = await admin.resource(types.secrets).list({ fieldSelector });
  const there = items
    .filter(({ metadata }) => metadata?.namespace?.startsWith("many-"))
    .map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
  expect(there.sort()).toEqual(referred.sort());
  expect(there).toHaveLength(NAMESPACES);
  // An account, its Secret, and the reference to it: one answer of each was lost.
  expect(proxy.lost.size).toBeGreaterThanOrEqual(3 * NAMESPACES);
}, 60_000);
