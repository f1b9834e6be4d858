// Pods with service accounts on a real server. The test creates the accounts, because no controller manager runs.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const spaces = "/api/v1/namespaces";
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

interface PodSpec {
  readonly serviceAccountName: string;
  readonly serviceAccount: string;
  readonly volumes?: readonly { readonly name: string }[];
  readonly imagePullSecrets?: object;
}
const specIn = ({ json }: { readonly json: object }) => (json as { readonly spec: PodSpec }).spec;

async function started(flags: object = {}): Promise<{ server: RunningServer; admin: ApiClient }> {
  const server = await startServer({ flags: { "enable-admission-plugins": ["ServiceAccount"], ...flags } });
  return { server, admin: new ApiClient(server, server.admin) };
}

describe("with the plugin", () => {
  let server: RunningServer;
  let admin: ApiClient;
  beforeAll(async () => {
    ({ server, admin } = await started());
  });
  afterAll(async () => {
    admin.close();
    await server.stop();
  });

  test("a pod waits for the account that every namespace is given", async () => {
    await admin.post(spaces, { metadata: { name: "new" } });
    const sent = admin.post(`${spaces}/new/pods`, pod("a"));
    await admin.get(spaces); // the pod's request is there before the account's
    const account = { metadata: { name: "default" }, imagePullSecrets: [{ name: "registry" }] };
    expect((await admin.post(`${spaces}/new/serviceaccounts`, account)).code).toBe(201);
    const answer = await sent;
    expect(answer.code).toBe(201);
    const spec = specIn(answer);
    expect(spec).toMatchObject({ serviceAccountName: "default", serviceAccount: "default" });
    expect(spec.volumes?.[0]?.name).toMatch(/^orch-api-access-[a-z0-9]{5}$/);
    expect(spec.imagePullSecrets).toEqual([{ name: "registry" }]);
    expect(specIn(await admin.get(`${spaces}/new/pods/a`))).toEqual(spec);
  });

  test("a pod whose account is not there is refused, and none is made", async () => {
    const answer = await admin.post(`${spaces}/default/pods`, pod("a", { serviceAccountName: "nobody" }));
    expect([answer.code, answer.json.message]).toEqual([
      403,
      'pods "a" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    ]);
    expect((await admin.get(`${spaces}/default/pods/a`)).code).toBe(404);
  });

  test("an account that was made just now will do, in a dry run too", async () => {
    for (const name of ["one", "two", "three"]) {
      await admin.post(`${spaces}/default/serviceaccounts`, { metadata: { name } });
      const spec = { serviceAccountName: name };
      expect((await admin.post(`${spaces}/default/pods?dryRun=All`, pod(name, spec))).code).toBe(201);
      expect((await admin.post(`${spaces}/default/pods`, pod(name, spec))).code).toBe(201);
    }
  });

  test("a pod with more values than the main thread reads has an account all the same", async () => {
    await admin.post(`${spaces}/default/serviceaccounts`, { metadata: { name: "large" } });
    const env = Array.from({ length: 6_000 }, (_, index) => ({ name: `V${index}`, value: String(index) }));
    const spec = { serviceAccountName: "large", containers: [{ name: "c", image: "i", env }] };
    const answer = await admin.post(`${spaces}/default/pods`, pod("large", spec));
    expect([answer.code, specIn(answer).volumes?.length]).toEqual([201, 1]);
  });
});

test("in 1.20 a pod is told to come again until its account has a token", async () => {
  const { server, admin } = await started({ "emulated-release": "1.20" });
  const accounts = `${spaces}/default/serviceaccounts`;
  await admin.post(accounts, { metadata: { name: "robot" }, secrets: [{ name: "robot-token" }] });
  const send = () => admin.post(`${spaces}/default/pods`, pod("a", { serviceAccountName: "robot" }));
  const early = await send();
  expect([early.code, early.json.reason, early.headers["retry-after"]]).toEqual([500, "ServerTimeout", "1"]);
  const annotations = { "orch.io/service-account.name": "robot" };
  const secret = { metadata: { name: "robot-token", annotations }, type: "orch.io/service-account-token" };
  expect((await admin.post(`${spaces}/default/secrets`, secret)).code).toBe(201);
  const answer = await send();
  expect([answer.code, specIn(answer).volumes]).toMatchObject([201, [{ name: "robot-token" }]]);
  admin.close();
  await server.stop();
});

test("a server inside a process asks for no account unless it is told to", async () => {
  const server = await startServer();
  const admin = new ApiClient(server, server.admin);
  const answer = await admin.post(`${spaces}/default/pods`, pod("a"));
  expect([answer.code, specIn(answer).volumes]).toEqual([201, undefined]);
  admin.close();
  await server.stop();
});
