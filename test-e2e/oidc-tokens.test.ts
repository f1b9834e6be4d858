// Users of an OpenID Connect provider, from which the server fetches keys only.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Client, loadConfiguration, loadConnection } from "@orch/client";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { startWithKubectl } from "./harness/kubectl";
import { CLIENT_ID, OidcProvider } from "./harness/oidc-provider";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

const REVIEW = "/apis/authentication.orch.io/v1/tokenreviews";

/** Returns the authenticated user, or the status code of the refusal. */
async function whoIs(server: ApiServer, token: string): Promise<number | object> {
  const client = server.client({ ...server.authority.anonymous(), token });
  const { status } = await client.get("/api");
  if (status !== 200) return status;
  const review = await server.admin.post(REVIEW, { spec: { token } });
  return (review.object() as unknown as { status: { user: object } }).status.user;
}

test("a user is who the provider's token says, also after its keys were turned", async () => {
  const authority = new Authority(workplace);
  const provider = await OidcProvider.make(workplace, authority);
  const flags = [
    `--oidc-issuer-url=${provider.url}`,
    `--oidc-client-id=${CLIENT_ID}`,
    `--oidc-ca-file=${authority.caFile}`,
    "--oidc-groups-claim=groups",
    "--oidc-groups-prefix=oidc:",
    "--oidc-signing-algs=RS256,ES256",
  ];
  // The server starts without the provider.
  const server = await startApiServer(workplace, { name: "oidc", store: { kind: "memory" }, authority, flags });
  await provider.start();
  const token = await provider.token({ claims: { groups: ["devs"] } });
  const ann = await eventually("the provider's keys are known", async () => {
    const user = await whoIs(server, token);
    return typeof user === "object" ? user : undefined;
  });
  expect(ann).toEqual({ username: `${provider.url}#ann`, groups: ["oidc:devs", "system:authenticated"] });

  await provider.addKey("second", "ES256");
  const later = await provider.token({ kid: "second", claims: { sub: "bob" } });
  const bob = await eventually("the new key is known", async () => {
    const user = await whoIs(server, later);
    return typeof user === "object" ? user : undefined;
  });
  expect(bob).toEqual({ username: `${provider.url}#bob`, groups: ["system:authenticated"] });
  const { keys } = await provider.asked();
  for (let each = 0; each < 20; each += 1) expect(await whoIs(server, token)).toEqual(ann);
  expect(await provider.asked()).toMatchObject({ keys });
  await provider.stop();
  expect(await whoIs(server, token)).toEqual(ann);
}, 60_000);

test("kubectl authenticates with an ID token; invalid tokens are rejected", async () => {
  const authority = new Authority(workplace);
  const provider = await (await OidcProvider.make(workplace, authority)).start();
  const flags = [
    `--oidc-issuer-url=${provider.url}`,
    `--oidc-client-id=${CLIENT_ID}`,
    `--oidc-ca-file=${authority.caFile}`,
    "--oidc-username-claim=email",
    "--oidc-groups-claim=groups",
    "--oidc-required-claim=hd=example.com",
    "--v=3",
  ];
  const { server, client } = await startWithKubectl(workplace, { name: "kubectl", flags, authority });
  await client.print(["create", "clusterrolebinding", "devs", "--clusterrole=view", "--group=devs"]);
  const hd = "example.com";
  const person = { email: "ann@example.com", email_verified: true, groups: ["devs"], hd };
  const token = await provider.token({ claims: person });
  const lists = (shown: string) => client.run([`--token=${shown}`, "get", "configmaps", "-n", "default"]);
  await eventually("ann may list", async () => (await lists(token)).code === 0);
  const others = await lists(await provider.token({ claims: { ...person, groups: ["ops"] } }));
  expect(others.stderr).toContain('User "ann@example.com" cannot list resource "configmaps"');

  const now = Math.floor(Date.now() / 1000);
  const wrong = await Promise.all(
    [
      { claims: { ...person, exp: now - 1 } },
      { claims: { ...person, nbf: now + 3600 } },
      { claims: { ...person, aud: "other" } },
      { claims: { ...person, iss: "https://other.example.com" } },
      { claims: { ...person, hd: "example.org" } },
      { claims: { ...person, email_verified: false } },
      { claims: { ...person, email: null } },
      { claims: person, header: { kid: "guess" } },
      { claims: { ...person, groups: Array.from({ length: 2500 }, (_, each) => each) } },
    ].map((parts) => provider.token(parts)),
  );
  const [header = "", body = ""] = token.split(".");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  wrong.push(`${none}.${body}.`, `${header}.${body}.AAAA`, `${header}.${body}`);
  for (const each of wrong) {
    const stranger = server.client({ ...server.authority.anonymous(), token: each });
    expect((await stranger.get("/api")).status).toBe(401);
  }
  const { body: metrics } = await server.admin.get("/metrics");
  expect(metrics).toMatch(/^authentication_attempts\{result="error"\} 1[0-9]$/m);
  const text = server.program.logText();
  for (const each of [token, ...wrong]) {
    const signature = each.split(".")[2] ?? "";
    if (signature.length > 20) expect(text).not.toContain(signature);
  }
  await provider.stop();
}, 60_000);

test("clients refresh an expired ID token once, save it, and tell why they cannot", async () => {
  const authority = new Authority(workplace);
  const provider = await (await OidcProvider.make(workplace, authority)).start();
  const flags = [
    `--oidc-issuer-url=${provider.url}`,
    `--oidc-client-id=${CLIENT_ID}`,
    `--oidc-ca-file=${authority.caFile}`,
  ];
  const server = await startApiServer(workplace, { name: "refresh", store: { kind: "memory" }, authority, flags });
  const path = join(workplace.folder(), "config");
  const now = Math.floor(Date.now() / 1000);
  const expired = await provider.token({ claims: { exp: now + 5 } });
  writeFileSync(
    path,
    `current-context: main
contexts: [{ name: main, context: { cluster: c, user: ann } }]
clusters: [{ name: c, cluster: { server: ${server.url}, certificate-authority: ${authority.caFile} } }]
users:
- name: ann # of the provider
  user:
    auth-provider:
      name: oidc
      config:
        idp-issuer-url: ${provider.url}
        idp-certificate-authority: ${authority.caFile}
        client-id: ${CLIENT_ID}
        client-secret: "p%ss"
        id-token: ${expired}
        refresh-token: first
`,
  );
  const config = () => loadConfiguration({ path }).users.get("ann")?.["auth-provider"]?.config;
  const open = () => new Client({ connection: loadConnection({ path }), program: "refresh" });
  await provider.grants({ sub: "ann", exp: now + 3600 });
  const clients = [open(), open(), open()];
  const whoami = async (client: Client) => {
    const body = JSON.stringify({ kind: "SelfSubjectReview", apiVersion: "authentication.orch.io/v1" });
    const review = "/apis/authentication.orch.io/v1/selfsubjectreviews";
    return JSON.stringify(await client.requestJson({ method: "POST", path: review, body }));
  };
  await eventually("the provider's keys are known", async () => (await whoIs(server, expired)) !== 401);
  const names = await Promise.all(clients.map(whoami));
  expect(names.every((name) => name.includes(`${provider.url}#ann`))).toBe(true);
  expect((await provider.asked()).refreshed).toEqual(["first"]);
  expect(config()).toMatchObject({ "client-secret": "p%ss" });
  expect([config()?.["id-token"], config()?.["refresh-token"]]).not.toContain(expired);
  expect(config()?.["refresh-token"]).not.toBe("first");
  expect(readFileSync(path, "utf8")).toContain("- name: ann # of the provider\n");

  // A refresh token that was used by somebody else.
  const used = readFileSync(path, "utf8")
    .replace(/id-token: .*/, `id-token: ${expired}`)
    .replace(/refresh-token: .*/, "refresh-token: first")
    .replaceAll("ann", "late");
  writeFileSync(path, used);
  const late = open();
  await expect(late.getJson("/api")).rejects.toThrow(
    "failed to refresh token: HTTP status 400: invalid_grant: the refresh token was used before",
  );
  writeFileSync(path, used.replace(/ *refresh-token: .*\n/, "").replaceAll("late", "none"));
  const none = open();
  await expect(none.getJson("/api")).rejects.toThrow("No valid id-token, and cannot refresh without refresh-token");
  for (const client of [...clients, late, none]) client.close();
  await provider.stop();
}, 60_000);
