// The server's own APIServices and published authentication information, with several replicas on one store.
import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version } from "../testing/custom-definitions";
import { type ProxyFiles, proxyFiles, REGISTRATIONS } from "../testing/extension-servers";

const LABEL = "orch-aggregator.orch.io/automanaged";
const INFO = "/api/v1/namespaces/orch-system/configmaps/extension-apiserver-authentication";

interface Registered {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly groupPriorityMinimum: number; readonly versionPriority: number; readonly service?: object };
  readonly status: { readonly conditions?: readonly object[] };
}

let files: ProxyFiles;
let store: Store;
let servers: RunningServer[];
let one: ApiClient;
let other: ApiClient;

const start = (flags = {}) => startServer({ store, flags });
const clientOf = (server: RunningServer) => new ApiClient(server, server.admin);

beforeAll(async () => {
  files = proxyFiles("any.default.svc");
  store = await openStore({ kind: "memory" });
  // Concurrently, so that both find no objects and both write.
  servers = await Promise.all([start(), start(proxies())]);
  [one, other] = servers.map(clientOf) as [ApiClient, ApiClient];
});
afterAll(async () => {
  for (const client of [one, other]) client.close();
  for (const server of servers) await server.stop();
  await store.close();
  files.remove();
});

function proxies(): object {
  const { "tls-cert-file": _cert, "tls-private-key-file": _key, ...flags } = files.back;
  return flags;
}

async function until(client: ApiClient, path: string, holds: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const found = await client.get(path);
    if (holds(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const registered = async (name: string, client = one): Promise<Registered> =>
  (await client.get(`${REGISTRATIONS}/${name}`)).json as unknown as Registered;

describe("the group versions of a server", () => {
  test("is registered from the start, once", async () => {
    const { items } = (await other.get(REGISTRATIONS)).json as unknown as { readonly items: readonly Registered[] };
    const rows = items.map(({ metadata, spec }) => [
      metadata.name,
      metadata.labels?.[LABEL],
      spec.groupPriorityMinimum,
      spec.versionPriority,
    ]);
    expect(rows).toContainEqual(["v1.", "onstart", 18000, 1]);
    expect(rows).toContainEqual(["v1.apps", "onstart", 17800, 15]);
    expect(rows).toContainEqual(["v1.rbac.authorization.orch.io", "onstart", 17000, 15]);
    expect(rows).toContainEqual(["v2beta2.autoscaling", "onstart", 17500, 1]);
    // The group of APIServices is never listed.
    expect(rows.map(([name]) => name)).not.toContain("v1.apiregistration.orch.io");
    expect(items.map(({ status }) => status.conditions)).toEqual(
      items.map(() => [expect.objectContaining({ type: "Available", status: "True", reason: "Local" })]),
    );
    for (const client of [one, other]) {
      expect((await client.get("/readyz/autoregister-completion")).code).toBe(200);
      // The priorities match the order of discovery.
      const { json } = await client.get("/apis");
      const served = json.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion));
      const wanted = [...items]
        .filter(({ metadata }) => metadata.name !== "v1.")
        .sort((a, b) => b.spec.groupPriorityMinimum - a.spec.groupPriorityMinimum);
      expect(served).toHaveLength(wanted.length + 1);
    }
  });

  test("is registered while it is defined", async () => {
    const served = (...names: readonly string[]) =>
      definition({ versions: names.map((name, at) => version(name, { storage: at === 0 })) });
    await one.post(DEFINITIONS, served("v1", "v2"));
    for (const client of [one, other]) {
      await until(client, `${REGISTRATIONS}/v2.example.com`, ({ code }) => code === 200);
      const { metadata, spec } = await registered("v1.example.com", client);
      expect([metadata.labels, spec.groupPriorityMinimum, spec.versionPriority]).toEqual([
        { [LABEL]: "true" },
        1000,
        100,
      ]);
    }
    // Changed or deleted objects are restored.
    const changed = await one.ask("PATCH", `${REGISTRATIONS}/v1.example.com`, {
      body: { spec: { versionPriority: 7 } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect(changed.code).toBe(200);
    await until(
      one,
      `${REGISTRATIONS}/v1.example.com`,
      ({ json }) => (json as unknown as Registered).spec.versionPriority === 100,
    );
    const { uid } = (await registered("v2.example.com")).metadata;
    await one.delete(`${REGISTRATIONS}/v2.example.com`);
    await until(
      other,
      `${REGISTRATIONS}/v2.example.com`,
      ({ code, json }) => code === 200 && json.metadata.uid !== uid,
    );
    await one.delete(`${DEFINITIONS}/widgets.example.com`);
    for (const name of ["v1.example.com", "v2.example.com"])
      await until(other, `${REGISTRATIONS}/${name}`, ({ code }) => code === 404);
  });

  test("is left to users until a server starts, and wholly where they have taken the label away", async () => {
    const patch = (name: string, body: object) =>
      one.ask("PATCH", `${REGISTRATIONS}/${name}`, {
        body,
        headers: { "content-type": "application/merge-patch+json" },
      });
    await patch("v1.batch", { spec: { versionPriority: 900 } });
    await patch("v1.apps", { spec: { groupPriorityMinimum: 3 }, metadata: { labels: { [LABEL]: null } } });
    await one.delete(`${REGISTRATIONS}/v1.policy`);
    const groups = async () => (await one.get("/apis")).json.groups.map(({ name }) => name);
    while ((await groups()).at(-1) !== "apps");
    expect(await groups()).toContain("policy");
    expect((await registered("v1.batch")).spec.versionPriority).toBe(900);
    const third = await start();
    const client = clientOf(third);
    expect((await registered("v1.batch", client)).spec.versionPriority).toBe(15);
    expect((await registered("v1.apps", client)).spec.groupPriorityMinimum).toBe(3);
    expect((await client.get(`${REGISTRATIONS}/v1.policy`)).code).toBe(200);
    client.close();
    await third.stop();
  });
});

describe("how servers know their clients", () => {
  const data = async () => (await one.get(INFO)).json.data as Readonly<Record<string, string>>;
  const subjects = (pem = "") =>
    (pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map(
      (each) => new X509Certificate(each).fingerprint256,
    );

  test("the configuration for aggregated API servers includes all replicas", async () => {
    const written = await data();
    expect(subjects(written["client-ca-file"])).toEqual(
      expect.arrayContaining(servers.map(({ ca }) => new X509Certificate(ca).fingerprint256)),
    );
    expect(subjects(written["requestheader-client-ca-file"])).toEqual(subjects(files.authority.certificate));
    expect(JSON.parse(written["requestheader-username-headers"] ?? "")).toEqual(["X-Remote-User"]);
    expect(JSON.parse(written["requestheader-group-headers"] ?? "")).toEqual(["X-Remote-Group"]);
    expect(JSON.parse(written["requestheader-extra-headers-prefix"] ?? "")).toEqual(["X-Remote-Extra-"]);
    expect(JSON.parse(written["requestheader-allowed-names"] ?? "")).toEqual(["front-proxy"]);
  });

  test("is kept: what is taken away is there again, what others have added stays, what has ended goes", async () => {
    const nowMs = Date.now();
    const ended = makeCertificate({
      subject: { commonName: "a" },
      usage: { kind: "client" },
      nowMs: nowMs - 20 * 365 * 86_400_000,
    });
    const added = makeCertificate({ subject: { commonName: "b" }, usage: { kind: "authority" }, nowMs });
    const { json } = await one.get(INFO);
    await one.put(INFO, { ...json, data: { "client-ca-file": `${ended.certificate}${added.certificate}`, own: "x" } });
    await until(one, INFO, (answer) => {
      const {
        "client-ca-file": clients,
        "requestheader-username-headers": names,
        own,
      } = answer.json.data as Record<string, string>;
      const found = subjects(clients);
      return (
        found.length === 3 &&
        found[0] === new X509Certificate(added.certificate).fingerprint256 &&
        names !== undefined &&
        own === "x"
      );
    });
    await one.delete(INFO);
    await until(one, INFO, ({ code, json: made }) => code === 200 && "requestheader-username-headers" in made.data);
  });

  test("may be read by those who hold the role for it", async () => {
    const manager = new ApiClient(
      servers[0] as RunningServer,
      (servers[0] as RunningServer).issueClient({ name: "system:orch-controller-manager" }),
    );
    const ann = new ApiClient(servers[0] as RunningServer, (servers[0] as RunningServer).issueClient({ name: "ann" }));
    expect([(await manager.get(INFO)).code, (await ann.get(INFO)).code]).toEqual([200, 403]);
    manager.close();
    ann.close();
  });

  test("goes for proxies: they say who asks, and others do not", async () => {
    const server = servers[1] as RunningServer;
    const told = { "X-Remote-User": "ann", "X-Remote-Group": "system:masters" };
    const ask = async (as?: Parameters<RunningServer["issueClient"]>[0] | typeof files.proxy) => {
      const pair = as !== undefined && "name" in as ? server.issueClient(as) : as;
      const client = new ApiClient(server, pair);
      const { code, text } = await client.get("/api/v1/namespaces", { headers: told });
      client.close();
      return [code, /User \\?"([^"\\]+)/.exec(text)?.[1]];
    };
    expect(await ask(files.proxy)).toEqual([200, undefined]);
    expect(await ask({ name: "bob" })).toEqual([403, "bob"]);
    expect(await ask()).toEqual([403, "system:anonymous"]);
    const wrong = makeCertificate({
      subject: { commonName: "other" },
      usage: { kind: "client" },
      issuer: files.authority,
      nowMs: Date.now(),
    });
    expect(await ask(wrong)).toEqual([401, undefined]);
  });
});
