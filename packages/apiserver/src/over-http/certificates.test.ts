// Certificate signing requests: permissions to create, approve and sign them.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makeSelfSignedCa } from "@orch/http-server";
import { asn1, pki } from "node-forge";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const GROUP = "certificates.orch.io";
const REQUESTS = `/apis/${GROUP}/v1/certificatesigningrequests`;
const RBAC = "/apis/rbac.authorization.orch.io/v1";
const CLIENT_SIGNER = "orch.io/apiserver-client";

const keys = pki.rsa.generateKeyPair({ bits: 1024 });
const certificate = Buffer.from(makeSelfSignedCa(["127.0.0.1"]).admin.certificate).toString("base64");

interface Part {
  readonly value: string;
  readonly name?: string;
  readonly valueTagClass?: number;
}

const organization = (value: string, valueTagClass: number = asn1.Type.UTF8): Part => ({
  name: "organizationName",
  value,
  valueTagClass,
});

/** PEM in base64. */
function requestFor(...parts: readonly Part[]): string {
  const csr = pki.createCertificationRequest();
  csr.publicKey = keys.publicKey;
  csr.setSubject([{ name: "commonName", value: "ann" }, ...parts] as never);
  csr.sign(keys.privateKey);
  return Buffer.from(pki.certificationRequestToPem(csr)).toString("base64");
}

const harmless = requestFor(organization("dev"));

const signingRequest = (name: string, request = harmless, signerName = CLIENT_SIGNER) => ({
  metadata: { name },
  spec: { request, signerName, usages: ["client auth", "digital signature"] },
});
const approved = { type: "Approved", status: "True", reason: "Mine" };

let server: RunningServer;
let admin: ApiClient;
const clients: ApiClient[] = [];

/** A client of a user with all permissions on requests, and the given verbs on the given signers. */
async function userWith(name: string, verbs: readonly string[], signers: readonly string[]): Promise<ApiClient> {
  const rules = [
    { verbs: ["*"], apiGroups: [GROUP], resources: ["certificatesigningrequests", "certificatesigningrequests/*"] },
    {
      verbs: ["*"],
      apiGroups: [GROUP],
      resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
    },
    ...(verbs.length === 0 ? [] : [{ verbs, apiGroups: [GROUP], resources: ["signers"], resourceNames: signers }]),
  ];
  await admin.post(`${RBAC}/clusterroles`, { metadata: { name }, rules });
  await admin.post(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    subjects: [{ kind: "User", name, apiGroup: "rbac.authorization.orch.io" }],
    roleRef: { kind: "ClusterRole", name, apiGroup: "rbac.authorization.orch.io" },
  });
  const client = new ApiClient(server, server.issueClient({ name }));
  clients.push(client);
  return client;
}

beforeAll(async () => {
  server = await startServer({ flags: { "emulated-release": "1.20" } });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  for (const client of [admin, ...clients]) client.close();
  await server.stop();
});

let made = 0;

async function stored(signer = CLIENT_SIGNER): Promise<string> {
  made += 1;
  const name = `stored-${made}`;
  expect((await admin.post(REQUESTS, signingRequest(name, harmless, signer))).code).toBe(201);
  return `${REQUESTS}/${name}`;
}

const merged = (client: ApiClient, path: string, body: object) =>
  client.ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });

/** All requests that can write a status. */
const WAYS: readonly [string, (client: ApiClient, path: string, part: string, status: object) => Promise<Answer>][] = [
  [
    "an update",
    async (client, path, part, status) => client.put(`${path}/${part}`, { ...(await admin.get(path)).json, status }),
  ],
  ["a patch", (client, path, part, status) => merged(client, `${path}/${part}`, { status })],
  ["a dry run of a patch", (client, path, part, status) => merged(client, `${path}/${part}?dryRun=All`, { status })],
  [
    "an apply",
    (client, path, part, status) =>
      client.ask("PATCH", `${path}/${part}?fieldManager=t`, {
        body: {
          apiVersion: `${GROUP}/v1`,
          kind: "CertificateSigningRequest",
          metadata: { name: path.split("/").at(-1) },
          status,
        },
        headers: { "content-type": "application/apply-patch+yaml" },
      }),
  ],
  [
    "a patch in v1beta1",
    (client, path, part, status) => merged(client, `${path.replace("/v1/", "/v1beta1/")}/${part}`, { status }),
  ],
];

test("a certificate of the privileged group requires permission on its signer", async () => {
  const nobody = await userWith("nobody", [], []);
  const root = await nobody.post(REQUESTS, signingRequest("root", requestFor(organization("system:masters"))));
  expect([root.code, root.json.message]).toEqual([
    403,
    `certificatesigningrequests.${GROUP} "root" is forbidden: use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`,
  ]);
  expect((await nobody.post(REQUESTS, signingRequest("dev"))).code).toBe(201);
  const path = `${REQUESTS}/dev`;
  const approve = await merged(nobody, `${path}/approval`, { status: { conditions: [approved] } });
  expect([approve.code, approve.json.message]).toEqual([
    403,
    `certificatesigningrequests.${GROUP} "dev" is forbidden: user not permitted to approve requests with signerName "${CLIENT_SIGNER}"`,
  ]);
  const sign = await merged(nobody, `${path}/status`, { status: { certificate } });
  expect([sign.code, sign.json.message]).toEqual([
    403,
    `certificatesigningrequests.${GROUP} "dev" is forbidden: user not permitted to sign requests with signerName "${CLIENT_SIGNER}"`,
  ]);
  expect((await admin.get(path)).json.status).toEqual({});
});

describe("the privileged group is not asked for, however it is written", () => {
  test.each<[string, string, number?]>([
    ["alone", requestFor(organization("system:masters"))],
    ["among others", requestFor(organization("dev"), organization("system:masters"), organization("ops"))],
    ["in another kind of string", requestFor(organization("system:masters", asn1.Type.PRINTABLESTRING))],
    ["in two bytes a character", requestFor(organization("system:masters", asn1.Type.BMPSTRING))],
    ["in a kind of string that nobody reads", requestFor(organization("system:masters", asn1.Type.BITSTRING)), 422],
  ])("%s", async (_how, request, code = 403) => {
    for (const dryRun of ["", "?dryRun=All"]) {
      expect((await admin.post(`${REQUESTS}${dryRun}`, signingRequest("root", request))).code).toBe(code);
    }
    const beta = REQUESTS.replace("/v1/", "/v1beta1/");
    expect((await admin.post(beta, signingRequest("root", request))).code).toBe(code);
  });

  test("but other groups are, and other signers may have their own mind", async () => {
    expect(
      (await admin.post(REQUESTS, signingRequest("masters", requestFor(organization("system:masterss"))))).code,
    ).toBe(201);
    const other = signingRequest("other", requestFor(organization("system:masters")), "example.com/own");
    expect((await admin.post(REQUESTS, other)).code).toBe(201);
  });
});

describe.each(WAYS)("approval by %s", (way, write) => {
  const name = way.replaceAll(/\W/g, "-");

  test.each<[string, string, readonly string[], number]>([
    ["who may for the signer", "approve", [CLIENT_SIGNER], 200],
    ["who may for all of its domain", "approve", ["orch.io/*"], 200],
    ["who may for another signer", "approve", ["orch.io/agent-serving", "example.com/*", "*"], 403],
    ["who may sign", "sign", [CLIENT_SIGNER], 403],
  ])("%s decides: %s on %j", async (who, verb, signers, code) => {
    const user = await userWith(`${name}-approval-${who.replaceAll(" ", "-")}`, [verb], signers);
    const path = await stored();
    expect((await write(user, path, "approval", { conditions: [approved] })).code).toBe(code);
    const denied = await write(user, await stored(), "approval", { conditions: [{ ...approved, type: "Denied" }] });
    expect(denied.code).toBe(code);
  });

  test.each<[string, string, readonly string[], number]>([
    ["who may for the signer", "sign", [CLIENT_SIGNER], 200],
    ["who may for all of its domain", "sign", ["orch.io/*"], 200],
    ["who may for another signer", "sign", ["example.com/own"], 403],
    ["who may approve", "approve", ["orch.io/*"], 403],
  ])("%s signs: %s on %j", async (who, verb, signers, code) => {
    const user = await userWith(`${name}-status-${who.replaceAll(" ", "-")}`, [verb], signers);
    expect((await write(user, await stored(), "status", { certificate })).code).toBe(code);
    const failed = { type: "Failed", status: "True", reason: "Mine" };
    expect((await write(user, await stored(), "status", { conditions: [failed] })).code).toBe(code);
  });
});

test("an update without a decision requires no permission on the signer", async () => {
  const nobody = await userWith("reader", [], []);
  const path = await stored();
  expect((await merged(nobody, `${path}/status`, { metadata: { labels: { a: "b" } } })).code).toBe(200);
  expect((await nobody.put(`${path}/status`, (await nobody.get(path)).json)).code).toBe(200);
  expect((await merged(nobody, path, { metadata: { labels: { a: "c" } } })).code).toBe(200);
  // Every write of the approval subresource requires the approve permission.
  expect((await merged(nobody, `${path}/approval`, { metadata: { labels: { a: "d" } } })).code).toBe(403);
  expect((await nobody.delete(path)).code).toBe(200);
});

test("the signer is the one that is stored, whatever the request says", async () => {
  const other = await userWith("other-signer", ["approve", "sign"], ["example.com/own"]);
  const path = await stored();
  const { json } = await admin.get(path);
  const spec = { ...json.spec, signerName: "example.com/own" };
  const approval = { ...json, spec, status: { conditions: [approved] } };
  expect((await other.put(`${path}/approval`, approval)).code).toBe(403);
  expect((await other.put(`${path}/status`, { ...json, spec, status: { certificate } })).code).toBe(403);
});

test("operators may switch each off", async () => {
  const plugins = ["CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction"];
  const open = await startServer({ flags: { "disable-admission-plugins": plugins } });
  const root = new ApiClient(open, open.admin);
  expect((await root.post(REQUESTS, signingRequest("root", requestFor(organization("system:masters"))))).code).toBe(
    201,
  );
  root.close();
  await open.stop();
});

test.each([
  ["1.21", 5, 201, undefined],
  ["1.21", 3600, 201, undefined],
  ["1.22", 3600, 201, 3600],
  ["1.22", 599, 422, undefined],
])("in release %s a request for %d s is answered %d and stores %p", async (release, seconds, code, stored) => {
  const other = await startServer({ flags: { "emulated-release": release } });
  const client = new ApiClient(other, other.admin);
  try {
    const { metadata, spec } = signingRequest("lasting");
    const made = await client.post(REQUESTS, { metadata, spec: { ...spec, expirationSeconds: seconds } });
    const answered = made.json.spec as { readonly expirationSeconds?: number } | undefined;
    expect([made.code, answered?.expirationSeconds]).toEqual([code, stored]);
  } finally {
    client.close();
    await other.stop();
  }
});
