// The page for people, in a browser: the explorer of the published schema.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Browser, chromium, type Page } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { tool, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let browser: Browser;
let page: Page;
/** Everything that the page asked for. */
const requested: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
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

async function enterToken(token: string): Promise<void> {
  await page.fill("#token", token);
  await page.click("#access button");
}

describe("the API explorer", () => {
  test("opens for everybody, and asks for a token before it shows anything", async () => {
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

  test("speaks to no other host, and breaks no rule that the server gave it", () => {
    const hosts = requested
      .filter((url) => !url.startsWith("data:") && !url.startsWith("blob:"))
      .map((url) => new URL(url).host);
    expect([...new Set(hosts)]).toEqual([new URL(server.url).host]);
    expect(complaints.filter((text) => /Content Security Policy|Refused/.test(text))).toEqual([]);
  });
});
