// Signing in to the console at an issuer: a real browser, a real issuer and a real server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ConsolePage, startBrowser } from "./harness/console";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { CLIENT_ID, OidcProvider } from "./harness/oidc-provider";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let authority: Authority;
let provider: OidcProvider;
/** Token endpoint of the provider at another origin than its own. */
let tokenEndpoint: string;
let server: ApiServer;
let browser: Browser;

beforeAll(async () => {
  authority = new Authority(workplace);
  const made = OidcProvider.make(workplace, authority).then((each) => each.start());
  [provider, browser] = await Promise.all([made, startBrowser()]);
  tokenEndpoint = `${provider.url.replace("127.0.0.1", "localhost")}/token`;
  await provider.publishes({ token_endpoint: tokenEndpoint });
  await provider.grants({ groups: ["system:masters"] });
  server = await startApiServer(workplace, { authority, store: { kind: "memory" }, flags: flags() });
  await eventually("the server has read the issuer's document", async () => (await settings()).endpoints !== undefined);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await provider?.stop();
});

/** Two issuers, one of which has the client of the console among its audiences. */
function flags(): readonly string[] {
  const file = join(workplace.folder(), "authentication.json");
  const claimMappings = { username: { claim: "sub", prefix: "" }, groups: { claim: "groups", prefix: "" } };
  const certificateAuthority = authority.anonymous().ca?.toString();
  const issuer = {
    url: provider.url,
    audiences: ["other", CLIENT_ID],
    audienceMatchPolicy: "MatchAny",
    certificateAuthority,
  };
  const jwt = [
    { issuer: { url: "https://issuer.invalid", audiences: ["x"] }, claimMappings },
    { issuer, claimMappings },
  ];
  const configuration = { apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthenticationConfiguration", jwt };
  writeFileSync(file, JSON.stringify(configuration));
  return ["--vocabulary=kubernetes", `--authentication-config=${file}`, `--console-oidc-client-id=${CLIENT_ID}`];
}

async function settings(): Promise<{ readonly endpoints?: object; readonly scopes: readonly string[] }> {
  return JSON.parse((await server.admin.get("/ui/config.json")).body).oidc;
}

/** Opens the console and logs in at the issuer's page. */
async function logIn(tab: ConsolePage, user: string): Promise<void> {
  const [popup] = await Promise.all([
    tab.page.context().waitForEvent("page"),
    tab.page.getByRole("button", { name: `Sign in with ${new URL(provider.url).host}` }).click(),
  ]);
  await popup.locator("#user").fill(user);
  await popup.getByRole("button", { name: "Log in" }).click();
}

describe("signing in at an issuer", () => {
  test("the policy of the page allows requests to the issuer and to its token endpoint only", async () => {
    const { headers } = await server.admin.get("/ui", { headers: { accept: "text/html" } });
    expect(headers["content-security-policy"]).toContain(
      `connect-src 'self' ${provider.url} ${new URL(tokenEndpoint).origin};`,
    );
    expect(await settings()).toMatchObject({
      issuer: provider.url,
      clientId: CLIENT_ID,
      endpoints: { authorization: `${provider.url}/authorize`, token: tokenEndpoint },
    });
  });

  test("takes the issuer's login, a proof key and a nonce, and leaves nothing behind", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.page.goto(`${server.url}/ui#/kinds`);
    const exchange = tab.page.waitForRequest(tokenEndpoint);
    await logIn(tab, "ida");
    await tab.page.locator(".bar .name", { hasText: "ida" }).waitFor();
    const sent = new URLSearchParams((await exchange).postData() ?? "");
    const code = sent.get("code") ?? "";
    expect(Object.fromEntries(sent)).toMatchObject({
      redirect_uri: `${server.url}/ui/`,
      client_id: CLIENT_ID,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    const kept = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href])`;
    expect(await tab.page.evaluate(kept)).not.toMatch(/ey[\w-]+\.ey|code=/);
    expect(tab.page.url()).toBe(`${server.url}/ui#/kinds`);
    // The code is of no use to others: neither again nor without the verifier.
    const again = await tab.page.evaluate(
      `fetch(${JSON.stringify(tokenEndpoint)}, { method: "POST", body: new URLSearchParams({ grant_type: "authorization_code", code: ${JSON.stringify(code)} }) }).then((answer) => answer.status)`,
    );
    expect(again).toBe(400);
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);

  test("gives no token to who has the code without the verifier", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.page.goto(`${server.url}/ui`);
    let code = "";
    await tab.page.route(tokenEndpoint, (route) => {
      code = new URLSearchParams(route.request().postData() ?? "").get("code") ?? "";
      return route.abort();
    });
    await logIn(tab, "ida");
    await tab.text(/token endpoint .* gives no answer to this page/).waitFor();
    await tab.page.unrouteAll();
    const answers: string[] = [];
    for (const verifier of [{}, { code_verifier: "w".repeat(43) }]) {
      const body = JSON.stringify({ grant_type: "authorization_code", code, client_id: CLIENT_ID, ...verifier });
      const sent = `{ method: "POST", body: new URLSearchParams(${body}) }`;
      answers.push(
        await tab.page.evaluate(
          `fetch(${JSON.stringify(tokenEndpoint)}, ${sent}).then(async (answer) => answer.status + " " + (await answer.text()))`,
        ),
      );
    }
    expect(code).not.toBe("");
    expect(answers[0]).toMatch(/^400 .*needs a verifier/);
    expect(answers[1]).toMatch(/^[45]\d\d /);
    expect(answers.join()).not.toContain("id_token");
    await tab.close();
  }, 60_000);

  test("renews the token by the refresh token, and asks again in its place when that is refused", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.page.clock.install();
    await tab.page.goto(`${server.url}/ui#/objects/core/v1/namespaces`);
    await logIn(tab, "ida");
    await tab.page.getByRole("link", { name: "default", exact: true }).waitFor();
    const tokens = new Set<string>();
    tab.page.on("request", (request) => {
      if (request.url().startsWith(`${server.url}/api`)) tokens.add(request.headers()["authorization"] ?? "");
    });
    const renewed = tab.page.waitForResponse(tokenEndpoint);
    await tab.page.clock.fastForward("59:30");
    const answer = await renewed;
    expect(new URLSearchParams(answer.request().postData() ?? "").get("grant_type")).toBe("refresh_token");
    const { id_token: next, refresh_token: refresh } = await answer.json();
    await eventually("requests have the new token", async () => {
      await tab.go(
        tab.page.url().endsWith("configmaps") ? "#/objects/core/v1/namespaces" : "#/objects/core/v1/configmaps",
      );
      return tokens.has(`Bearer ${next}`);
    });
    await tab.go("#/objects/core/v1/namespaces");
    await tab.page.evaluate(
      `fetch("${provider.url}/revoke", { method: "POST", mode: "no-cors", body: new URLSearchParams({ token: "${refresh}" }) }).then(() => true)`,
    );
    await tab.page.clock.fastForward("59:30");
    await tab
      .text(/could not be renewed. The issuer gives no ID token: the refresh token was used before or revoked/)
      .waitFor();
    const [popup] = await Promise.all([
      tab.page.context().waitForEvent("page"),
      tab.page.getByRole("button", { name: "Sign in again" }).click(),
    ]);
    await popup.locator("#user").fill("ida");
    await popup.getByRole("button", { name: "Log in" }).click();
    await tab.page.getByRole("button", { name: /Sign in again|Cancel/ }).waitFor({ state: "detached" });
    expect(tab.page.url()).toBe(`${server.url}/ui#/objects/core/v1/namespaces`);
    await tab.page.locator(".bar .name", { hasText: "ida" }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);

  test("tells what the issuer says of a refusal", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.page.goto(`${server.url}/ui`);
    await logIn(tab, "nobody");
    await tab.text(/The issuer refuses the sign-in: the user is not known/).waitFor();
    await tab.close();
  }, 60_000);

  test("a code of another sign-in is not taken", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.page.goto(`${server.url}/ui`);
    const other = await tab.page.context().newPage();
    await other.goto(`${server.url}/ui`);
    await tab.page.getByRole("button", { name: /^Sign in with/ }).click();
    await other.evaluate(
      `new BroadcastChannel("console-sign-in").postMessage({ state: "guessed", code: "forged", error: null })`,
    );
    const before = (await provider.asked()).exchanged;
    await tab.page.getByRole("button", { name: "Cancel" }).click();
    expect((await provider.asked()).exchanged).toBe(before);
    expect(await tab.page.locator(".bar .name").count()).toBe(0);
    await tab.close();
  }, 60_000);
});

test.each([
  ["the audience of no issuer", "unknown", 0],
  ["the audience of two issuers", "x", 2],
])(
  "a client of the console that is %s keeps the server from starting",
  async (_what, client, count) => {
    const file = join(workplace.folder(), "authentication.json");
    const issuer = (url: string) => ({
      issuer: { url, audiences: ["x"] },
      claimMappings: { username: { claim: "sub", prefix: "" } },
    });
    const jwt = [issuer("https://one.invalid"), issuer("https://two.invalid")];
    const configuration = { apiVersion: "apiserver.config.k8s.io/v1beta1", kind: "AuthenticationConfiguration", jwt };
    writeFileSync(file, JSON.stringify(configuration));
    const options = [
      "--vocabulary=kubernetes",
      `--authentication-config=${file}`,
      `--console-oidc-client-id=${client}`,
    ];
    await expect(
      startApiServer(workplace, { name: `refused-${client}`, store: { kind: "memory" }, flags: options }),
    ).rejects.toThrow(
      new RegExp(`--console-oidc-client-id: "${client}" must be an audience of exactly one issuer.*${count} issuers`),
    );
  },
  60_000,
);
