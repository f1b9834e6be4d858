// The life of a workload on its kubelet: the pod with the token volume from admission; its token is requested, used,
// renewed, and rejected when the bound object is gone. And the older form, with a token in a Secret.
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, type ResourceType } from "@orch/client";
import { chosenControllers, runControllers } from "@orch/controllers";
import { StatusError } from "@orch/machinery";
import { type coreV1, type VocabularyName, vocabularyOf } from "@orch/schema";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const YEAR_SECONDS = 365 * 86_400;
const text = (value: string) => ({ kind: "text", text: value }) as const;

interface Requested {
  readonly spec: { readonly audiences: readonly string[]; readonly expirationSeconds: number };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString());

async function codeOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

describe.each<[VocabularyName, { readonly release: string; readonly isExtended: boolean }]>([
  ["orch", { release: "1.23", isExtended: true }],
  ["kubernetes", { release: "1.26", isExtended: false }],
])("in the vocabulary %s", (vocabulary, { release, isExtended }) => {
  const names = vocabularyOf(vocabulary);
  const types = builtInTypes(vocabulary);
  const mountPath = `/var/run/secrets/${names.annotations.serviceAccountName.split("/")[0]}/serviceaccount`;
  const clients: Client[] = [];
  const stop = new AbortController();
  let server: RunningServer;
  let admin: Client;
  let agent: Client;
  let another: Client;
  let controllers: Promise<void>;

  const clientWith = (credentials: object, ca?: string): Client => {
    const connection = {
      ...adminConnection(server),
      credentials,
      ...(ca === undefined ? {} : { tls: { ca: text(ca) } }),
    };
    const client = adminClient(server, { vocabulary, connection });
    clients.push(client);
    return client;
  };
  const agentOf = (node: string): Client => {
    const user = server.issueClient({ name: `system:node:${node}`, groups: ["system:nodes"] });
    return clientWith({ certificate: { certificate: text(user.certificate), key: text(user.key) } });
  };
  const inShop = <T extends object>(client: Client, type: ResourceType<T>) => client.resource(type).namespace("shop");
  const ask = (client: Client, account: string, spec: object): Promise<Requested> =>
    inShop(client, types.serviceAccounts).createSubresource(account, "token", {
      apiVersion: `${names.groups.authentication}/v1`,
      kind: "TokenRequest",
      spec,
    });
  const use = (token: string, ca?: string) => codeOf(inShop(clientWith({ token }, ca), types.pods).list({ limit: 1 }));
  const podBound = (name: string, uid: string) => ({
    expirationSeconds: 3607,
    boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
  });

  /** Creates a pod on the node of the first kubelet. */
  async function runPod(name: string, account: string): Promise<coreV1.Pod> {
    const spec = { nodeName: "one", serviceAccountName: account, containers: [{ name: "c", image: "i" }] };
    const made = await eventually("the account is there", () =>
      inShop(admin, types.pods)
        .create({ metadata: { name }, spec })
        .catch(() => undefined),
    );
    return made;
  }
  const uidOf = (object: { readonly metadata?: { readonly uid?: string } }): string => object.metadata?.uid ?? "";

  beforeAll(async () => {
    const keyFile = join(workplace.folder(), "key.pem");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    server = await startServer({
      vocabulary,
      flags: {
        "emulated-release": release,
        "authorization-mode": ["Node", "RBAC"],
        "enable-admission-plugins": ["NodeRestriction", "ServiceAccount"],
        "service-account-signing-key-file": keyFile,
        "service-account-extend-token-expiration": isExtended,
      },
    });
    admin = clientWith(adminConnection(server).credentials);
    controllers = runControllers(
      {
        connection: adminConnection(server),
        vocabulary,
        log: { info() {}, warn() {}, error() {} },
        controllers: chosenControllers(["serviceaccount", "serviceaccount-token", "root-ca-cert-publisher"]),
        options: { "service-account-private-key-file": keyFile },
      },
      stop.signal,
    );
    [agent, another] = [agentOf("one"), agentOf("two")];
    for (const [client, name] of [
      [agent, "one"],
      [another, "two"],
    ] as const)
      await client.resource(types.nodes).create({ metadata: { name } });
    await admin.resource(types.namespaces).create({ metadata: { name: "shop" } });
  }, 60_000);
  afterAll(async () => {
    stop.abort();
    await controllers;
    for (const client of clients) client.close();
    await server.stop();
  });

  test("a pod's token is had by the agent of its node alone, renewed, and refused after the pod's end", async () => {
    const pod = await runPod("web", "default");
    const volume = pod.spec?.volumes?.find(({ name }) => name?.startsWith(names.objectNames.apiAccess));
    const [source, authorities, downward] = volume?.projected?.sources ?? [];
    expect(pod.spec?.containers?.[0]?.volumeMounts).toEqual([{ name: volume?.name, mountPath, readOnly: true }]);
    expect(source?.serviceAccountToken).toEqual({ path: "token", expirationSeconds: 3607 });
    expect(downward?.downwardAPI?.items?.[0]).toMatchObject({ path: "namespace" });
    await inShop(admin, types.roleBindings).create({
      metadata: { name: "readers" },
      subjects: [{ kind: "Group", apiGroup: names.groups.rbac, name: "system:serviceaccounts:shop" }],
      roleRef: { kind: "ClusterRole", apiGroup: names.groups.rbac, name: "view" },
    });

    // This kubelet, and no other, may read the objects of the volume.
    const map = authorities?.configMap?.name ?? "";
    const published = await eventually("the authorities are published", () =>
      inShop(agent, types.configMaps).find(map),
    );
    const ca = published.data?.["ca.crt"] ?? "";
    expect(await codeOf(inShop(another, types.configMaps).get(map))).toBe(403);
    const spec = podBound("web", uidOf(pod));
    const first = await ask(agent, "default", spec);
    const refused = [
      await codeOf(ask(another, "default", spec)),
      await codeOf(ask(agent, "default", { expirationSeconds: 3607 })),
      await codeOf(ask(agent, "default", podBound("web", "another"))),
      await codeOf(ask(agent, "default", podBound("nobody", uidOf(pod)))),
    ];
    expect(refused).toEqual([403, 403, 403, 404]);

    const issuedAt = claimsOf(first.status.token).iat;
    const { exp, [names.jwtClaims.product]: own } = claimsOf(first.status.token);
    expect([exp - issuedAt, own.warnafter]).toEqual(isExtended ? [YEAR_SECONDS, issuedAt + 3607] : [3607, undefined]);
    expect(Date.parse(first.status.expirationTimestamp) / 1000).toBe(issuedAt + 3607);
    expect(own).toMatchObject({ namespace: "shop", pod: { name: "web", uid: uidOf(pod) } });
    expect(await use(first.status.token, ca)).toBe(200);

    const renewed = await ask(agent, "default", spec);
    const elsewhere = await ask(agent, "default", { ...spec, audiences: ["vault"] });
    expect(claimsOf(elsewhere.status.token)).toMatchObject({ aud: ["vault"] });
    expect([await use(renewed.status.token, ca), await use(elsewhere.status.token, ca)]).toEqual([200, 401]);

    // The pod has its grace period, and so has its token; then the kubelet confirms the end.
    expect((await inShop(admin, types.pods).delete("web")).kind).toBe("object");
    expect(await use(first.status.token, ca)).toBe(200);
    await inShop(agent, types.pods).delete("web", { gracePeriodSeconds: 0 });
    expect([await use(first.status.token, ca), await use(renewed.status.token, ca)]).toEqual([401, 401]);
    const next = await runPod("web", "default");
    expect([await use(first.status.token, ca), await codeOf(ask(agent, "default", spec))]).toEqual([401, 403]);
    expect(await use((await ask(agent, "default", podBound("web", uidOf(next)))).status.token, ca)).toBe(200);
  });

  test("a token is refused after its account is deleted, and after the secret that it was bound to", async () => {
    await inShop(admin, types.serviceAccounts).create({ metadata: { name: "robot" } });
    const pod = await runPod("robot", "robot");
    const secret = await inShop(admin, types.secrets).create({ metadata: { name: "bound" } });
    const ofPod = (await ask(agent, "robot", podBound("robot", uidOf(pod)))).status.token;
    const free = (await ask(admin, "robot", {})).status.token;
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: "bound", uid: uidOf(secret) };
    const ofSecret = (await ask(admin, "robot", { boundObjectRef })).status.token;
    expect([await use(ofPod), await use(free), await use(ofSecret)]).toEqual([200, 200, 200]);
    await inShop(admin, types.secrets).delete("bound");
    expect([await use(ofPod), await use(free), await use(ofSecret)]).toEqual([200, 200, 401]);
    await inShop(admin, types.serviceAccounts).delete("robot");
    expect([await use(ofPod), await use(free)]).toEqual([401, 401]);
    // A new object of the same name has another UID.
    await inShop(admin, types.serviceAccounts).create({ metadata: { name: "robot" } });
    expect([await use(ofPod), await use(free)]).toEqual([401, 401]);
  });

  test("a token that is kept in a secret lives until the secret, or its account, is deleted", async () => {
    const keep = async (name: string): Promise<string> => {
      const annotations = { [names.annotations.serviceAccountName]: "old" };
      await inShop(admin, types.secrets).create({
        metadata: { name, annotations },
        type: names.secretTypes.serviceAccountToken,
      });
      const token = await eventually("it is filled", async () => {
        const { data } = await inShop(admin, types.secrets).get(name);
        return data?.["token"] as string | undefined;
      });
      return Buffer.from(token, "base64").toString();
    };
    await inShop(admin, types.serviceAccounts).create({ metadata: { name: "old" } });
    const [one, two] = [await keep("first"), await keep("second")];
    expect(claimsOf(one)).toMatchObject({ iss: names.jwtClaims.orchServiceaccount });
    expect([await use(one), await use(two)]).toEqual([200, 200]);
    await inShop(admin, types.secrets).delete("first");
    expect([await use(one), await use(two)]).toEqual([401, 200]);
    await inShop(admin, types.serviceAccounts).delete("old");
    expect(await use(two)).toBe(401);
    await eventually("the secret has gone with its account", async () => {
      return (await inShop(admin, types.secrets).find("second")) === undefined;
    });
  });
});
