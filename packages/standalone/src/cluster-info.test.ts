// Cluster information for joining machines, on a real server: published by its operator, and signed by controllers that
// have only the permissions of their own service accounts.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, Client, type ConnectionSettings, type QueueMetrics } from "@orch/client";
import { chosenControllers, publishClusterInfo, runControllers } from "@orch/controllers";
import { silentLog } from "@orch/platform";

const VOCABULARIES = [
  {
    name: "orch",
    system: "orch-system",
    shared: "orch-public",
    type: "bootstrap.orch.io/token",
    keyOf: (id: string, half: string) => `${id}.${half}`,
  },
  {
    name: "kubernetes",
    system: "kube-system",
    shared: "kube-public",
    type: "bootstrap.kubernetes.io/token",
    keyOf: (_id: string, half: string) => half,
  },
] as const;
const ACCOUNTS = { bootstrapsigner: "bootstrap-signer", tokencleaner: "token-cleaner" } as const;
const HALF = "0123456789abcdef";
const MAP = "cluster-info";

const text = (value: string) => ({ kind: "text", text: value }) as const;

/** Resolves when the condition holds. The timeout of the test is the limit. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe.each(VOCABULARIES)("in the vocabulary $name", ({ name: vocabulary, system, shared, type, keyOf }) => {
  const types = builtInTypes(vocabulary);
  const stop = new AbortController();
  const looks = new Map<string, number>();
  let server: RunningServer;
  let admin: Client;
  let anonymous: Client;
  const working: Promise<void>[] = [];

  function connectionOf(pair?: { readonly certificate: string; readonly key: string }): ConnectionSettings {
    const credentials = pair && { certificate: { certificate: text(pair.certificate), key: text(pair.key) } };
    return { server: server.url, tls: { ca: text(server.ca) }, credentials: credentials ?? {}, namespace: "default" };
  }
  const clientOf = (connection: ConnectionSettings) =>
    new Client({ connection, vocabulary, program: "test", rateLimit: { perSecond: 0, burst: 0 } });

  const counting = (queue: string): QueueMetrics => ({
    ...{ made: () => {}, depth: () => {}, added: () => {}, taken: () => {}, retried: () => {} },
    done: () => looks.set(queue, (looks.get(queue) ?? 0) + 1),
  });

  beforeAll(async () => {
    server = await startServer({ vocabulary });
    admin = clientOf(connectionOf(server.admin));
    anonymous = clientOf(connectionOf());
    for (const [controller, account] of Object.entries(ACCOUNTS)) {
      const groups = ["system:serviceaccounts", `system:serviceaccounts:${system}`, "system:authenticated"];
      const pair = server.issueClient({ name: `system:serviceaccount:${system}:${account}`, groups });
      const controllers = chosenControllers([controller]);
      const options = { connection: connectionOf(pair), vocabulary, log: silentLog, controllers, metrics: counting };
      working.push(runControllers(options, stop.signal));
    }
  });
  afterAll(async () => {
    stop.abort(new Error("the tests are done"));
    await Promise.all(working);
    admin.close();
    anonymous.close();
    await server.stop();
  });

  const maps = () => admin.resource(types.configMaps).namespace(shared);
  const secrets = () => admin.resource(types.secrets).namespace(system);
  const data = async () => (await maps().find(MAP))?.data ?? {};
  const keys = async () => Object.keys(await data()).sort();

  function makeToken(id: string, more: Record<string, string> = {}) {
    const stringData = { "token-id": id, "token-secret": HALF, "usage-bootstrap-signing": "true", ...more };
    return secrets().create({ metadata: { name: `bootstrap-token-${id}`, namespace: system }, type, stringData });
  }

  function signature(id: string, payload: string): string {
    const header = Buffer.from(`{"alg":"HS256","kid":"${id}"}`).toString("base64url");
    const signed = `${header}.${Buffer.from(payload).toString("base64url")}`;
    return `${header}..${createHmac("sha256", keyOf(id, HALF)).update(signed).digest("base64url")}`;
  }
  const isSigned = async (id: string) => {
    const { kubeconfig = "", [`jws-kubeconfig-${id}`]: found } = await data();
    return kubeconfig !== "" && found === signature(id, kubeconfig);
  };
  const publish = (url = server.url) => publishClusterInfo(admin, { server: url, authority: server.ca }, stop.signal);

  test("the signer creates no ConfigMap; a published one is signed and publicly readable", async () => {
    await makeToken("aaaaaa");
    await until(async () => (looks.get("bootstrap_signer_queue") ?? 0) > 0);
    expect(await maps().find(MAP)).toBeUndefined();
    await publish();
    await until(() => isSigned("aaaaaa"));
    const seen = await anonymous.resource(types.configMaps).namespace(shared).get(MAP);
    expect(seen.data?.["kubeconfig"]).toContain(`server: ${server.url}\n`);
    expect(seen.data?.["kubeconfig"]).toContain(Buffer.from(server.ca).toString("base64"));
    await expect(anonymous.resource(types.configMaps).namespace(shared).list()).rejects.toMatchObject({ code: 403 });
  });

  test("signatures follow the tokens and the text, and what else is in the map stays", async () => {
    await maps().patch(MAP, "merge", { data: { note: "kept", "jws-kubeconfig-nobody": "x" } });
    await makeToken("bbbbbb");
    await until(() => isSigned("bbbbbb"));
    await secrets().delete("bootstrap-token-aaaaaa");
    await until(async () => !(await keys()).includes("jws-kubeconfig-aaaaaa"));
    expect(await keys()).toEqual(["jws-kubeconfig-bbbbbb", "kubeconfig", "note"]);
    await publish("https://elsewhere.example:6443");
    await until(async () => (await data())["kubeconfig"]?.includes("elsewhere") === true && (await isSigned("bbbbbb")));
  });

  test("a signed ConfigMap is not written again", async () => {
    const before = await maps().get(MAP);
    const looked = looks.get("bootstrap_signer_queue") ?? 0;
    await secrets().patch("bootstrap-token-bbbbbb", "merge", { metadata: { labels: { looked: "again" } } });
    await until(async () => (looks.get("bootstrap_signer_queue") ?? 0) > looked);
    await publish("https://elsewhere.example:6443");
    expect(await maps().get(MAP)).toEqual(before);
  });

  test("a token that expires signs no more and is deleted; others, and other secrets, stay", async () => {
    await makeToken("eeeeee", { expiration: "whenever" });
    await secrets().create({
      metadata: { name: "bootstrap-token-zzzzzz", namespace: system },
      stringData: { expiration: "2000-01-01T00:00:00Z" },
    });
    await makeToken("cccccc", { expiration: new Date(Date.now() + 1500).toISOString() });
    await until(() => isSigned("cccccc"));
    await until(async () => (await secrets().find("bootstrap-token-cccccc")) === undefined);
    await until(async () => !(await keys()).includes("jws-kubeconfig-cccccc"));
    const left = (await secrets().list()).items.map(({ metadata }) => metadata?.name);
    expect(left).toEqual(["bootstrap-token-bbbbbb", "bootstrap-token-zzzzzz"]);
  });

  test("an operator who takes the map over, or its readers away, is not undone", async () => {
    const { roleBindings } = types;
    await admin.resource(roleBindings).namespace(shared).delete("cluster-info-reader");
    await publish("https://third.example:6443");
    expect(await admin.resource(roleBindings).namespace(shared).find("cluster-info-reader")).toBeUndefined();
    await maps().patch(MAP, "merge", { data: { kubeconfig: "clusters: []" } });
    await publish("https://fourth.example:6443");
    expect((await data())["kubeconfig"]).toBe("clusters: []");
    await until(() => isSigned("bbbbbb"));
  });
});
