// Logins of the command `orch` with an OpenID Connect provider, in a real browser.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Browser, chromium } from "playwright-core";
import { parse } from "yaml";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import type { Printed } from "./harness/kubectl";
import { CLIENT_ID, OidcProvider } from "./harness/oidc-provider";
import { Orch } from "./harness/orch";
import { tool, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let provider: OidcProvider;
let server: ApiServer;
let browser: Browser;

beforeAll(async () => {
  const authority = new Authority(workplace);
  provider = await (await OidcProvider.make(workplace, authority)).start();
  const flags = [
    `--oidc-issuer-url=${provider.url}`,
    `--oidc-client-id=${CLIENT_ID}`,
    `--oidc-ca-file=${authority.caFile}`,
    "--oidc-username-prefix=-",
    // Watches end soon, so that a client that watches authenticates again.
    "--min-request-timeout=3",
  ];
  server = await startApiServer(workplace, { name: "oidc", store: { kind: "memory" }, authority, flags });
  browser = await chromium.launch({ executablePath: tool("chromium"), args: ["--no-sandbox", "--disable-gpu"] });
}, 120_000);
afterAll(async () => browser?.close());

interface StoredUser {
  readonly name: string;
  readonly user: { readonly "auth-provider"?: { readonly name: string; readonly config: Record<string, string> } };
}

/** Runs `orch` with a configuration file whose context names the server. */
class LoginHome {
  readonly path: string;
  readonly orch: Orch;

  constructor() {
    const home = workplace.folder();
    this.path = join(home, "config");
    const cluster = { server: server.url, "certificate-authority": server.authority.caFile };
    const text = {
      clusters: [{ name: "here", cluster }],
      users: [{ name: "admin", user: { token: "admin-token" } }],
      contexts: [{ name: "here", context: { cluster: "here", user: "admin" } }],
      "current-context": "here",
    };
    writeFileSync(this.path, JSON.stringify(text));
    this.orch = new Orch({ home, options: [`--kubeconfig=${this.path}`] });
  }

  get newLogin(): string[] {
    return ["login", `--issuer=${provider.url}`, `--client-id=${CLIENT_ID}`, `--issuer-ca=${server.authority.caFile}`];
  }

  /** Starts a command, and returns the address that it prints, and its end. */
  async start(words: readonly string[]): Promise<{ readonly url: string; readonly end: Promise<Printed> }> {
    const child = this.orch.start(words);
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] += text;
      });
    }
    const end = new Promise<Printed>((resolve) => {
      child.once("close", (code) => resolve({ ...texts, code: code ?? 1 }));
    });
    const url = await eventually("the address is printed", async () => /^ {2}(https:\S+)$/m.exec(texts.stderr)?.[1]);
    expect(readFileSync(`/proc/${child.pid}/cmdline`, "utf8")).not.toContain("ey");
    return { url, end };
  }

  stored(): Record<string, string> {
    const { users } = parse(readFileSync(this.path, "utf8")) as { users: StoredUser[] };
    return users.find(({ name }) => name === "here-oidc")?.user["auth-provider"]?.config ?? {};
  }
}

/** Logs in on the page of an address. @returns the text of the last page */
async function logInAt(url: string, user: string, text: string): Promise<string> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  try {
    await page.goto(url);
    await page.fill("#user", user);
    await page.click("button");
    await page.getByText(text).waitFor();
    return page.url();
  } finally {
    await context.close();
  }
}

describe("login", () => {
  test("in a browser stores the tokens, and the server accepts them until the logout", async () => {
    const home = new LoginHome();
    const { url, end } = await home.start(home.newLogin);
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: CLIENT_ID,
      response_type: "code",
      code_challenge_method: "S256",
      scope: "openid offline_access",
    });
    // A request with another state changes nothing.
    const redirect = asked.get("redirect_uri") as string;
    expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect((await fetch(`${redirect}?code=stolen&state=guessed`)).status).toBe(400);
    expect((await fetch(new URL("/", redirect))).status).toBe(404);

    await logInAt(url, "ann", "You are logged in");
    const { stdout, stderr, code } = await end;
    expect(stdout).toContain(`Logged in to ${provider.url} as ann.\n`);
    expect(code).toBe(0);
    const { "id-token": idToken = "", "refresh-token": refreshToken = "", ...config } = home.stored();
    expect(config).toEqual({
      "idp-issuer-url": provider.url,
      "client-id": CLIENT_ID,
      "idp-certificate-authority-data": readFileSync(server.authority.caFile).toString("base64"),
    });
    expect(`${stdout}${stderr}`).not.toMatch(new RegExp(`${idToken}|${refreshToken}|Warning`));
    expect(statSync(home.path).mode & 0o777).toBe(0o600);
    expect(await home.orch.print(["config", "get-contexts"])).toMatch(/^\* +here +here +here-oidc/m);
    expect(await home.orch.print(["config", "view"])).toMatch(/id-token: REDACTED\n.*\n? +refresh-token: REDACTED\n/s);
    const review = await server.admin.post("/apis/authentication.orch.io/v1/tokenreviews", {
      spec: { token: idToken },
    });
    expect(review.object()).toMatchObject({ status: { authenticated: true, user: { username: "ann" } } });

    const out = await home.orch.run(["logout"]);
    expect(out.stdout).toContain(`${provider.url} has revoked the refresh token.\n`);
    expect(out.stderr).toContain(`${provider.url}/endsession?client_id=${CLIENT_ID}`);
    expect(out.stderr).not.toContain(idToken);
    expect(Object.keys(home.stored())).not.toContain("id-token");
    expect(Object.keys(home.stored())).not.toContain("refresh-token");
    expect((await provider.asked()).revoked).toContain(refreshToken);
    const again = await home.orch.run(["logout"]);
    expect([again.stderr, again.code]).toEqual([
      expect.stringMatching(/^error: user "here-oidc" of .* has no login\n$/),
      1,
    ]);
  }, 60_000);

  test("with a device code needs no redirect, and the next one no options", async () => {
    const home = new LoginHome();
    const first = await home.start([...home.newLogin, "--device"]);
    await logInAt(first.url, "bob", "return to your device");
    expect((await first.end).stdout).toContain(`Logged in to ${provider.url} as bob.\n`);
    const second = await home.start(["login"]);
    await logInAt(second.url, "eve", "You are logged in");
    expect((await second.end).stdout).toContain(`Logged in to ${provider.url} as eve.\n`);
  }, 60_000);

  test("with a token that expires while objects are watched: it is refreshed, and the watch goes on", async () => {
    const home = new LoginHome();
    const { status } = await server.admin.post("/apis/rbac.authorization.orch.io/v1/clusterrolebindings", {
      metadata: { name: "dora" },
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "dora" }],
    });
    expect(status).toBe(201);
    // Clients refresh tokens ten seconds before they expire.
    await provider.setLifetime(12);
    try {
      const { url, end } = await home.start(home.newLogin);
      await logInAt(url, "dora", "You are logged in");
      expect((await end).code).toBe(0);
      const { "id-token": first = "" } = home.stored();
      const watching = home.orch.start(["get", "configmaps", "-w", "-o", "name"]);
      let seen = "";
      watching.stdout.setEncoding("utf8").on("data", (text: string) => {
        seen += text;
      });
      const until = Date.now() + 13_000;
      await eventually("the first token has expired", async () => Date.now() > until || undefined, {
        timeoutMs: 20_000,
      });
      expect(watching.exitCode).toBeNull();
      await server.admin.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "late" } });
      await eventually("the new object is shown", async () => seen.includes("configmap/late\n") || undefined);
      watching.kill("SIGINT");
      expect(home.stored()["id-token"]).not.toBe(first);
      expect((await provider.asked()).refreshed.length).toBeGreaterThan(0);
    } finally {
      await provider.setLifetime(3600);
    }
  }, 60_000);

  test("that the provider denies is an error with its reason", async () => {
    const home = new LoginHome();
    const { url, end } = await home.start(home.newLogin);
    await logInAt(url, "nobody", "The login failed");
    const { stderr, code } = await end;
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(
      `error: the issuer ${provider.url}: access_denied: the user is not known`,
    );
    expect([code, home.stored()]).toEqual([1, {}]);
  }, 60_000);

  test.each([
    ["without an issuer", [], /^error: --issuer and --client-id: the context has no login yet/],
    ["without TLS", ["--issuer=http://id.example.com", "--client-id=x"], /^error: --issuer: tokens need TLS/],
    [
      "with an issuer that is away",
      ["--issuer=https://127.0.0.1:1", "--client-id=x"],
      /^error: the issuer .*ECONNREFUSED/,
    ],
    ["with an issuer that is not trusted", ["--client-id=x"], /^error: the issuer .*certificate/],
    ["with a wrong port", ["--client-id=x", "--listen-port=no"], /^error: --listen-port: "no" is not a port\n$/],
  ])("%s is one line", async (_, words, text) => {
    const home = new LoginHome();
    const isAll = words.length === 0 || words.some((word) => word.startsWith("--issuer="));
    const trusted = words.some((word) => word.startsWith("--listen")) ? [`--issuer-ca=${server.authority.caFile}`] : [];
    const { stderr, code } = await home.orch.run([
      "login",
      ...(isAll ? [] : [`--issuer=${provider.url}`]),
      ...trusted,
      ...words,
    ]);
    expect(stderr).toMatch(text);
    expect([stderr.split("\n").length, code]).toEqual([2, 1]);
  });
});
