// Tests the content of tokens in later releases, and the cases in which none is issued.
import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { accountTokenIssuer, parseSigningKey, signToken } from "@orch/auth";
import { MOST_RECENT } from "@orch/machinery";
import { createRegistry, type Registry, type ResourceStorage } from "@orch/registry";
import type { RequestedAction } from "@orch/request";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { type TokenRequestDeps, tokenRequest } from "./token-request";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const options = { release: "1.23", eventLifetimeSeconds: 3600, serviceRanges: [], gates: {}, forbidsPrivileged: false };
const ISSUER = "https://here";
const NOW_MS = 1_700_000_000_999;
const KEY = { namespace: "default", name: "robot" };
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = parseSigningKey(privateKey.export({ type: "pkcs8", format: "pem" }) as string);
const issuer = accountTokenIssuer({
  vocabulary,
  sign: (claims) => signToken(claims, key),
  issuer: ISSUER,
  audiences: [ISSUER],
});

let store: Store;
let registry: Registry;
let storages: Record<"serviceaccounts" | "pods" | "secrets" | "nodes", ResourceStorage>;
let notes: string[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  const resources = builtInResources(vocabulary, schema, options as never);
  const storageOf = (plural: string) => {
    const definition = resources.find((each) => each.plural === plural && each.group === "");
    if (definition === undefined) throw new Error(`there are no ${plural}`);
    return registry.resource(definition);
  };
  storages = {
    serviceaccounts: storageOf("serviceaccounts"),
    pods: storageOf("pods"),
    secrets: storageOf("secrets"),
    nodes: storageOf("nodes"),
  };
  await registry.ready();
  notes = [];
  await keep("serviceaccounts", { metadata: KEY });
});
afterEach(async () => {
  await registry.close();
  await store.close();
});

async function keep(plural: keyof typeof storages, object: JsonObject): Promise<string> {
  const storage = storages[plural];
  const { namespace = "", name } = object["metadata"] as { namespace?: string; name: string };
  const { entry } = await storage.create(object, { namespace, name }, writing(storage));
  return String(entry.metadata("uid"));
}

const writing = (storage: ResourceStorage) => ({
  version: storage.definition.storage,
  user: { name: "admin", groups: [] },
  dryRun: false,
  warn: (text: string) => void notes.push(text),
  annotate: (name: string, value: string) => void notes.push(`${name} ${value}`),
});

async function ask(spec: JsonObject, more: Partial<TokenRequestDeps> = {}) {
  const answer = await answerTo(spec, more);
  return JSON.parse(Buffer.from(answer.status.token.split(".")[1] as string, "base64url").toString());
}

async function answerTo(spec: JsonObject, more: Partial<TokenRequestDeps> = {}, metadata: JsonObject = {}) {
  const { pods, secrets, nodes, serviceaccounts: storage } = storages;
  const act = tokenRequest({
    ...{
      vocabulary,
      release: "1.31",
      issuer,
      maxSeconds: 0,
      extends: true,
      extendedMaxSeconds: Number.POSITIVE_INFINITY,
      checksUid: false,
      now: () => NOW_MS,
    },
    storages: () => ({ pods, secrets, nodes }),
    ...more,
  });
  const write = { ...writing(storage), subresource: { name: "token" }, admitted: true } as RequestedAction["write"];
  const body = { kind: "TokenRequest", metadata, spec: { expirationSeconds: 3600, ...spec } };
  return (await act({ body, key: KEY, storage, write })) as {
    readonly metadata: { readonly uid?: string };
    readonly status: { readonly token: string };
  };
}

const reference = (kind: string, name: string) => ({ boundObjectRef: { kind, apiVersion: "v1", name } });

test("it has a name, which audit is told", async () => {
  const { jti } = await ask({});
  expect(jti).toMatch(/^[0-9a-f-]{36}$/);
  expect(notes).toEqual([`authentication.orch.io/issued-credential-id JTI=${jti}`]);
});

test("it is bound to a node, or says on which node its pod is", async () => {
  const uid = await keep("nodes", { metadata: { name: "n" } });
  expect((await ask(reference("Node", "n")))["orch.io"]).toMatchObject({ node: { name: "n", uid } });
  const pod = (name: string, nodeName: string) => ({
    metadata: { namespace: "default", name },
    spec: { serviceAccountName: "robot", nodeName, containers: [{ name: "c", image: "i" }] },
  });
  await keep("pods", pod("here", "n"));
  expect((await ask(reference("Pod", "here")))["orch.io"]).toMatchObject({
    pod: { name: "here" },
    node: { name: "n", uid },
  });
  await keep("pods", pod("lost", "gone"));
  expect((await ask(reference("Pod", "lost")))["orch.io"]).toMatchObject({ node: { name: "gone", uid: "" } });
});

test("in earlier releases it has no name, and is bound to no node", async () => {
  await keep("nodes", { metadata: { name: "n" } });
  expect((await ask({}, { release: "1.29" })).jti).toBeUndefined();
  expect(notes).toEqual([]);
  await expect(ask(reference("Node", "n"), { release: "1.30" })).rejects.toMatchObject({ code: 400 });
});

test("it lives on past its time only where this server sees it used", async () => {
  await keep("pods", {
    metadata: { namespace: "default", name: "p" },
    spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] },
  });
  const spec = { ...reference("Pod", "p"), expirationSeconds: 3607 };
  const lifeOf = ({ exp, iat }: { exp: number; iat: number }) => exp - iat;
  expect(lifeOf(await ask(spec))).toBe(365 * 86_400);
  expect(lifeOf(await ask({ ...spec, audiences: ["vault"] }))).toBe(3607);
  expect(lifeOf(await ask(spec, { extends: false }))).toBe(3607);
  expect(lifeOf(await ask({ ...spec, expirationSeconds: 3608 }))).toBe(3608);
  expect(lifeOf(await ask({ ...reference("Pod", "p"), expirationSeconds: 3607 }, { maxSeconds: 3600 }))).toBe(3600);
});

test("a thread that signs nothing makes none", async () => {
  await expect(ask({}, { issuer: undefined })).rejects.toMatchObject({ code: 413 });
});

test("a request with the UID of a former account is rejected, or answered with a warning while the gate is off", async () => {
  const uid = String((await storages.serviceaccounts.get(KEY, MOST_RECENT)).metadata("uid"));
  const former = { uid: "former" };
  const mismatch = `the UID in the token request (former) does not match the UID of the service account (${uid})`;
  const at = (release: string, checksUid: boolean, metadata: JsonObject = former) => {
    notes = [];
    return answerTo({}, { release, checksUid }, metadata);
  };
  await expect(at("1.34", true)).rejects.toMatchObject({
    code: 409,
    message: expect.stringContaining(mismatch),
  });
  expect((await at("1.34", true, { uid })).metadata.uid).toBe(uid);
  expect((await at("1.34", true, {})).metadata.uid).toBe(uid);
  await at("1.34", false);
  expect(notes).toEqual(
    expect.arrayContaining([
      `authentication.orch.io/token-request-uid-mismatch ${mismatch}`,
      expect.stringContaining(`${mismatch} but TokenRequestServiceAccountUIDValidation is not enabled`),
    ]),
  );
  expect((await at("1.33", false)).metadata.uid).toBe("former");
  expect(notes.join()).not.toContain("UID");
  expect((await at("1.33", false, {})).metadata.uid).toBeUndefined();
});
