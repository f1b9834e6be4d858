// Service account tokens across replicas, and with kubectl.
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer, startReplicas } from "./harness/api-server";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import type { ApiClient } from "./harness/https-client";
import { Kubectl, MORE_CLIENTS } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const PODS = "/api/v1/namespaces/default/pods";

let replicas: [ApiServer, ApiServer];
let keyFile: string;
let formerKeys: string;
let client: Kubectl;

const newKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }) as string;

beforeAll(async () => {
  const folder = workplace.folder();
  [keyFile, formerKeys] = [join(folder, "sa.key"), join(folder, "former.pem")];
  const key = newKey();
  writeFileSync(keyFile, key);
  writeFileSync(formerKeys, key);
  const etcd = await startEtcd(workplace);
  replicas = await startReplicas(workplace, etcd.endpoints, [
    "--vocabulary=kubernetes",
    `--service-account-signing-key-file=${keyFile}`,
    `--service-account-key-file=${formerKeys}`,
    "--service-account-issuer=https://cluster.example",
  ]);
  client = new Kubectl(replicas[0], workplace.folder());
  await client.print(["create", "serviceaccount", "robot"]);
  await client.print(["create", "rolebinding", "robots", "--clusterrole=view", "--serviceaccount=default:robot"]);
}, 60_000);

async function askFor(server: ApiServer, account: string, spec: object = {}): Promise<string> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const answer = await server.admin.post(`${ACCOUNTS}/${account}/token`, body);
  expect([answer.status, answer.body]).toEqual([201, expect.any(String)]);
  return (answer.object() as unknown as { status: { token: string } }).status.token;
}

const asking = (server: ApiServer, token: string): ApiClient =>
  server.client({ ca: readFileSync(server.authority.caFile), token });

const codeAt = async (server: ApiServer, token: string, path = "/version"): Promise<number> => {
  const asked = asking(server, token);
  try {
    return (await asked.get(path)).status;
  } finally {
    asked.close();
  }
};

const make = async (server: ApiServer, path: string, body: object): Promise<string> => {
  const answer = await server.admin.post(path, body);
  expect(answer.status).toBe(201);
  return answer.object().metadata.uid as string;
};

describe("between replicas", () => {
  test("a token is good at the other one at once, though that has just begun to hear of its account", async () => {
    const codes: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const [here, there] = index % 2 === 0 ? replicas : [replicas[1], replicas[0]];
      await make(here, ACCOUNTS, { metadata: { name: `new-${index}` } });
      codes.push(await codeAt(there, await askFor(here, `new-${index}`)));
    }
    expect(codes).toEqual(Array.from({ length: 20 }, () => 200));
  });

  test("a pod's token ends with the pod, at each as soon as it has heard of that", async () => {
    const spec = { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] };
    const uid = await make(replicas[0], PODS, { metadata: { name: "p" }, spec });
    const token = await askFor(replicas[1], "robot", {
      boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid },
      expirationSeconds: 3607,
    });
    expect([await codeAt(replicas[0], token), await codeAt(replicas[1], token)]).toEqual([200, 200]);
    expect((await replicas[0].admin.delete(`${PODS}/p`)).status).toBe(200);
    for (const replica of replicas) {
      await eventually("it has heard of it", async () => (await codeAt(replica, token)) === 401);
    }
    await make(replicas[1], PODS, { metadata: { name: "p" }, spec });
    expect([await codeAt(replicas[0], token), await codeAt(replicas[1], token)]).toEqual([401, 401]);
  });

  test("keys change without a restart: new tokens have the new key's name, old ones go on while their key is named", async () => {
    const before = await askFor(replicas[0], "robot");
    const keyOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[0] as string, "base64url").toString()).kid;
    writeFileSync(keyFile, newKey());
    for (const replica of replicas) {
      await eventually(
        "it signs with the new key",
        async () => keyOf(await askFor(replica, "robot")) !== keyOf(before),
      );
    }
    const after = await askFor(replicas[0], "robot");
    for (const replica of replicas)
      expect([await codeAt(replica, before), await codeAt(replica, after)]).toEqual([200, 200]);
    writeFileSync(formerKeys, readFileSync(keyFile));
    await eventually("the old key counts no more", async () => (await codeAt(replicas[1], before)) === 401);
    expect(await codeAt(replicas[1], after)).toBe(200);
  }, 60_000);
});

describe("with kubectl", () => {
  test("a token is its account's, with the account's rights and no others", async () => {
    const robot = new Kubectl(replicas[1], workplace.folder(), {
      options: [`--token=${await askFor(replicas[0], "robot")}`],
    });
    expect(await robot.print(["get", "pods"])).toContain("p ");
    const refused = await robot.run(["create", "configmap", "c"]);
    expect(refused.stderr).toContain('User "system:serviceaccount:default:robot" cannot create resource "configmaps"');
    const nobody = new Kubectl(replicas[1], workplace.folder(), { options: ["--token=e30.e30.AAAA"] });
    expect((await nobody.run(["get", "pods"])).stderr).toContain("You must be logged in to the server (Unauthorized)");
  });

  // Debian's client lacks the command.
  for (const program of MORE_CLIENTS)
    test(`${program} asks for tokens itself`, async () => {
      const made = await client
        .of(program)
        .print(["create", "token", "robot", "--audience=https://cluster.example", "--duration=10m"]);
      const robot = new Kubectl(replicas[1], workplace.folder(), { options: [`--token=${made.trim()}`], program });
      expect(await robot.print(["get", "pods"])).toContain("p ");
    });
});

test("a server that is given no key keeps one of its own: its tokens outlive a restart", async () => {
  const server = await startApiServer(workplace, { name: "alone", store: { kind: "embedded" } });
  await make(server, ACCOUNTS, { metadata: { name: "robot" } });
  const body = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} };
  const answer = await server.admin.post(`${ACCOUNTS}/robot/token`, body);
  const { token } = (answer.object() as unknown as { status: { token: string } }).status;
  expect(await codeAt(server, token)).toBe(200);
  await server.kill();
  await server.start();
  expect(await codeAt(server, token)).toBe(200);
}, 60_000);
