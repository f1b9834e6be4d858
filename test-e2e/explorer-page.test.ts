// The explorer of the published schema in a browser.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Browser, chromium, type Page, type Route } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { AXE, ConsolePage, RUN_AXE } from "./harness/console";
import { tool, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let linkFile: string;
let browser: Browser;
let page: Page;
/** All requests of the page. */
const requested: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  linkFile = join(workplace.folder(), "explorer.url");
  const flags = [`--explorer-link-file=${linkFile}`, "--v=4"];
  server = await startApiServer(workplace, { store: { kind: "memory" }, flags });
  browser = await chromium.launch({ executablePath: tool("chromium"), args: ["--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("request", (request) => requested.push(request.url()));
  page.on("console", (said) => {
    if (said.type() === "error") complaints.push(said.text());
  });
}, 120_000);
afterAll(async () => browser?.close());

/** Serious findings of axe-core in what this page adds, and in what the explorer's package renders. */
async function inaccessible(): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(RUN_AXE);
}

/** Follows a watch whose answer has a number of events with texts of a length. */
const WATCH_OF_PAGE = `(async (count, length) => {
  const events = (function* () {
    for (let at = 0; at < count; at += 1) {
      const [before, after] = JSON.stringify({ type: "ADDED", object: { metadata: { name: "m-" + at }, text: "#" } }).split("#");
      yield before;
      for (let left = length; left > 0; left -= 1_000_000) yield "x".repeat(Math.min(left, 1_000_000));
      yield after + "\\n";
    }
  })();
  const body = new ReadableStream({
    pull(controller) {
      const { value, done } = events.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  const { watch } = await import("/docs/watch.js");
  const real = window.fetch;
  window.fetch = async () => new Response(body);
  await watch("/api/v1/configmaps?watch=true", {});
  window.fetch = real;
})`;

async function enterToken(token: string): Promise<void> {
  await page.fill("#token", token);
  await page.click("#access button");
}

describe("the API explorer", () => {
  test("opens without authentication and asks for a token", async () => {
    await page.goto(`${server.url}/docs`);
    await page.getByText("enter a token").waitFor();
    expect(await page.locator(".opblock").count()).toBe(0);
  }, 60_000);

  test("lists the operations of a group version to who may read the schema", async () => {
    await enterToken("admin-token");
    await page.waitForSelector(".opblock-tag-section");
    await page.selectOption("#document", "apis/apps/v1");
    await page.waitForSelector('.opblock-tag[data-tag="apps_v1"]');
    await page.click('.opblock-tag[data-tag="apps_v1"]');
    await page.waitForSelector("#operations-apps_v1-listAppsV1NamespacedDeployment");
    expect(await page.locator(".opblock").count()).toBeGreaterThan(30);
  }, 60_000);

  test("shows the fields of a model", async () => {
    const model = page.locator('[data-name="io.orch.api.apps.v1.Deployment"]');
    await page.locator(".models-control").first().click();
    await model.locator(".model-box-control, .model-toggle").first().click();
    await model.getByText("status", { exact: true }).first().waitFor();
  }, 60_000);

  test("tries an operation out with the visitor's token", async () => {
    await page.selectOption("#document", "api/v1");
    await page.waitForSelector('.opblock-tag[data-tag="core_v1"]');
    await page.click('.opblock-tag[data-tag="core_v1"]');
    const operation = page.locator("#operations-core_v1-listCoreV1Namespace");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".try-out__btn").click();
    const answer = page.waitForResponse((response) => response.url().includes("/api/v1/namespaces"));
    await operation.locator("button.execute").click();
    expect((await answer).status()).toBe(200);
    expect((await answer).request().headers()["authorization"]).toBe("Bearer admin-token");
    await operation.locator(".live-responses-table").getByText("orch-system").first().waitFor();
  }, 60_000);

  test("shows why a watch is refused, and lists the events of one as they arrive until it is stopped", async () => {
    const operation = page.locator("#operations-core_v1-listCoreV1NamespacedConfigMap");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".try-out__btn").click();
    await operation.locator('tr[data-param-name="namespace"] input').fill("default");
    await operation.locator('tr[data-param-name="watch"] select').selectOption("true");
    const selector = operation.locator('tr[data-param-name="fieldSelector"] input');
    await selector.fill("nonsense");
    await operation.locator("button.execute").click();
    await operation.locator(".live-responses-table").getByText("nonsense").first().waitFor();
    await selector.fill("");
    await operation.locator("button.execute").click();
    await operation.locator(".live-responses-table").getByText("The watch has started").first().waitFor();
    for (const name of ["first", "second"]) {
      await server.admin.post("/api/v1/namespaces/default/configmaps", { metadata: { name } });
      await page.locator("#events summary").getByText(`ADDED default/${name}`).waitFor();
    }
    await page.locator("#events summary").first().click();
    await page.locator("#events pre").getByText('"name": "second"').waitFor();
    await page.click("#stop");
    await page.getByText("2 events, stopped").waitFor();
  }, 60_000);

  test("keeps the newest events of a watch only, and few of large ones", async () => {
    const watched = (many: string) => page.evaluate(`${WATCH_OF_PAGE}(${many})`);
    await watched("5000, 10");
    await page.getByText("5000 events, the server ended the watch").waitFor();
    expect(await page.locator("#events details").count()).toBe(200);
    expect(await page.locator("#events summary").first().textContent()).toBe("ADDED m-4999");
    await watched("100, 300_000");
    await page.getByText("100 events, the server ended the watch").waitFor();
    expect(await page.locator("#events details").count()).toBe(39);
    await watched("1, 40_000_000");
    await page.getByText(/the watch was interrupted: an event has more than \d+ characters/).waitFor();
  }, 60_000);

  test("finds operations by path, kind and description, with the keyboard alone", async () => {
    await page.goto("about:blank");
    await page.goto(`${server.url}/docs#token=admin-token`);
    await page.waitForSelector('.opblock-tag[data-tag="core_v1"]');
    await page.keyboard.press("/");
    const search = page.getByRole("combobox", { name: "Search" });
    await page.locator("#search:focus").waitFor();
    await page.keyboard.type("deployment replace status");
    await page
      .getByRole("option", { name: /PUT .*deployments\/\{name\}\/status/ })
      .first()
      .waitFor();
    await search.fill("");
    await page.keyboard.type("poddisruptionbudget get status");
    await page
      .getByRole("option", { name: /^GET .*poddisruptionbudgets\/\{name\}\/status/ })
      .first()
      .waitFor();
    await page.locator("#search-state", { hasNotText: "group versions" }).waitFor();
    expect(await inaccessible()).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator('.opblock.is-open[id*="PodDisruptionBudgetStatus"]:focus-within').waitFor();
    expect(await page.locator("#document").inputValue()).toBe("apis/policy/v1");
    expect(await page.locator("#results").isVisible()).toBe(false);
    // One among so many that only those in view are rendered.
    await page.locator("#search").fill("replicationcontrollers get status");
    await page.keyboard.press("Enter");
    await page.locator('.opblock.is-open[id*="ReplicationControllerStatus"]:focus-within').waitFor();
    expect(await inaccessible()).toEqual([]);
  }, 60_000);

  test("searches what was typed before the search was loaded", async () => {
    const held = new Promise<Route>((resolve) => page.route("**/docs/search.js", resolve));
    await page.goto("about:blank");
    await page.goto(`${server.url}/docs#token=admin-token`);
    await page.locator("#search:enabled").fill("deployment replace status");
    await (await held).continue();
    await page
      .getByRole("option", { name: /PUT .*deployments\/\{name\}\/status/ })
      .first()
      .waitFor();
    await page.unrouteAll();
  }, 60_000);

  test("searches ten thousand operations, and shows the first fifty", async () => {
    const names = Array.from({ length: 50 }, (_, at) => `apis/many/v${at}`);
    const operation = (at: number) => ({ operationId: `o${at}`, tags: ["t"], description: `Reads thing ${at}.` });
    await page.route("**/openapi/v3", (route) =>
      route.fulfill({
        json: { paths: Object.fromEntries(names.map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}` }])) },
      }),
    );
    await page.route("**/openapi/v3/apis/many/*", (route) => {
      const name = new URL(route.request().url()).pathname.slice("/openapi/v3".length);
      const paths = Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`${name}/r${at}`, { get: operation(at) }]),
      );
      return route.fulfill({ json: { openapi: "3.0.0", info: { title: "many", version: "1" }, paths } });
    });
    await enterToken("admin-token");
    await page.waitForSelector("#document:has(option[value='apis/many/v0'])", { state: "attached" });
    await page.locator("#search").fill("reads thing");
    await page.getByText("10000 of 10000 operations, 50 shown").waitFor();
    expect(await page.locator("#results [role=option]").count()).toBe(50);
    await page.locator("#search").fill("v49/r199");
    await page.getByText("1 of 10000 operations", { exact: true }).waitFor();
    await page.unrouteAll();
  }, 60_000);

  test("opens at once by the token of the server's link, and keeps its token in the page alone", async () => {
    const [address, token = ""] = readFileSync(linkFile, "utf8").trim().split("#token=");
    expect(address).toBe(`${server.url}/ui`);
    expect(token).toMatch(/^[\w-]{43}$/);

    await page.goto("about:blank");
    await page.goto(`${server.url}/docs#token=${token}`);
    await page.waitForSelector('.opblock-tag[data-tag="core_v1"]');
    expect(page.url()).toBe(`${server.url}/docs`);
    const kept =
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href])";
    expect(await page.evaluate(kept)).not.toContain(token);

    await page.reload();
    await page.getByText("Reloading the page removed the token").waitFor();
    await page.evaluate(`location.hash = "token=${token}"`); // the link again, where the page is open
    await page.waitForSelector('.opblock-tag[data-tag="core_v1"]');
    expect(page.url()).toBe(`${server.url}/docs`);
    expect(requested.filter((url) => url.includes(token))).toEqual([]);
    expect(readFileSync(server.program.logFile, "utf8")).not.toContain(token);
  }, 60_000);

  test("shares its sign-in with the console, both ways, until the user signs out in one of them", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.signIn("admin-token");
    const context = tab.page.context();
    const [explorer] = await Promise.all([
      context.waitForEvent("page"),
      tab.page.getByRole("link", { name: "API", exact: true }).click(),
    ]);
    await explorer.waitForSelector('.opblock-tag[data-tag="core_v1"]');
    // The explorer gives it to a console that is opened or loaded again.
    await tab.page.reload();
    await tab.page.locator(".bar .name", { hasText: "admin" }).waitFor();
    const [second] = await Promise.all([
      context.waitForEvent("page"),
      explorer.getByRole("link", { name: "Console" }).click(),
    ]);
    await second.locator(".bar .name", { hasText: "admin" }).waitFor();
    const kept =
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href])";
    for (const each of [tab.page, explorer, second]) expect(await each.evaluate(kept)).not.toContain("admin-token");
    expect(tab.logged.filter((text) => text.includes("admin-token"))).toEqual([]);

    await explorer.getByRole("button", { name: "Sign out" }).click();
    for (const each of [tab.page, second]) await each.getByText("You have signed out in another page.").waitFor();
    await explorer.getByText("You have signed out.").waitFor();
    expect(await explorer.locator(".opblock").count()).toBe(0);
    // A sign-in is shared with the pages that are open, too; its end comes from either side.
    await tab.page.getByLabel("Bearer token").fill("viewer-token");
    await tab.page.keyboard.press("Enter");
    await second.locator(".bar .name", { hasText: "viewer" }).waitFor();
    await explorer.waitForSelector('.opblock-tag[data-tag="core_v1"]');
    await second.getByRole("button", { name: "Sign out" }).click();
    await explorer.getByText("You have signed out in another page.").waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);

  test("the link's token is the administrator's, on this machine alone", async () => {
    const token = readFileSync(linkFile, "utf8").trim().split("#token=")[1] ?? "";
    const client = server.client({ ...server.authority.anonymous(), token });
    expect((await client.get("/api/v1/secrets")).status).toBe(200);
    for (const [name, value] of [
      ["x-forwarded-for", "127.0.0.1"],
      ["forwarded", "for=127.0.0.1"],
      ["via", "1.1 a"],
    ] as const) {
      expect((await client.get("/api/v1/secrets", { headers: { [name]: value } })).status).toBe(401);
    }
    const review = { apiVersion: "authentication.orch.io/v1", kind: "TokenReview", spec: { token } };
    const { status, body } = await server.admin.post("/apis/authentication.orch.io/v1/tokenreviews", review);
    expect([status, JSON.parse(body).status]).toEqual([201, { user: {}, error: expect.any(String) }]);
  });

  test("leaves no other page of its origin a hold on it", async () => {
    await page.goto(`${server.url}/version`);
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.evaluate("void (window.opened = window.open('/docs'))"),
    ]);
    await page.waitForFunction("window.opened.closed"); // for this page; the other is there
    await opened.locator("#token").waitFor();
    expect(await opened.evaluate("window.opener")).toBeNull();
    await opened.close();
  }, 60_000);

  test("speaks to no other host, and breaks no rule that the server gave it", () => {
    const hosts = requested
      .filter((url) => !url.startsWith("data:") && !url.startsWith("blob:"))
      .map((url) => new URL(url).host);
    expect([...new Set(hosts)]).toEqual([new URL(server.url).host]);
    expect(complaints.filter((text) => /Content Security Policy|Refused/.test(text))).toEqual([]);
  });
});
