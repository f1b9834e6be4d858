// The console in a browser: signing in, kinds, tables, keys, and what it is like for everybody.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Route } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ConsolePage, startBrowser } from "./harness/console";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let browser: Browser;
let linkFile: string;

const MAPS = "/api/v1/namespaces/shop/configmaps";
const map = (name: string, more: object = {}) => ({ metadata: { name, labels: { tier: "web" } }, data: {}, ...more });

beforeAll(async () => {
  linkFile = join(workplace.folder(), "console.url");
  const flags = [`--explorer-link-file=${linkFile}`, "--history=configmaps=5", "--v=4"];
  [server, browser] = await Promise.all([
    startApiServer(workplace, { store: { kind: "memory" }, flags }),
    startBrowser(),
  ]);
  await server.admin.post("/api/v1/namespaces", { metadata: { name: "shop" } });
  for (const name of ["apples", "pears"]) await server.admin.post(MAPS, map(name));
  for (const data of [{ a: "1" }, { a: "2" }]) await server.admin.put(`${MAPS}/apples`, map("apples", { data }));
  await server.admin.post(MAPS, map("gone"));
  await server.admin.delete(`${MAPS}/gone`);
  await server.admin.post("/apis/apiextensions.orch.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  required: ["size"],
                  properties: { size: { type: "string", enum: ["s", "xl"] } },
                },
              },
            },
          },
        },
      ],
    },
  });
  const path = "/apis/example.com/v1/namespaces/shop/widgets";
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" }, spec: { size: "s" } };
  await eventually("the definition is served", async () => (await server.admin.post(path, widget)).status === 201);
}, 120_000);
afterAll(async () => browser?.close());

describe("signing in", () => {
  test("is asked for in words, with the reason when a token is refused", async () => {
    const tab = await ConsolePage.open(browser, server.url);
    await tab.page.goto(`${server.url}/ui`);
    await tab.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await tab.page.getByLabel("Bearer token").fill("wrong-token");
    await tab.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await tab.text(/does not accept this token/).waitFor();
    await tab.page.getByRole("button", { name: "Use the browser's certificate" }).click();
    await tab.text(/no client certificate/).waitFor();
    await tab.page.getByLabel("Bearer token").fill("admin-token");
    await tab.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await tab.page.locator(".bar .name", { hasText: "admin" }).waitFor();
    await tab.page.getByRole("button", { name: "Sign out" }).click();
    await tab.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);

  test("works by the server's link, whose token leaves the address and no trace", async () => {
    const token = readFileSync(linkFile, "utf8").trim().split("#token=")[1] ?? "";
    expect(token).not.toBe("");
    const tab = await ConsolePage.open(browser, server.url);
    await tab.signIn(token);
    await tab.go("#/objects/core/v1/configmaps?ns=shop");
    await tab.page.getByRole("link", { name: "apples" }).waitFor();
    const kept = `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state,
      location.href, await indexedDB.databases(), await caches.keys()]))()`;
    expect(await tab.page.evaluate(kept)).not.toContain(token);
    expect(await tab.page.context().cookies()).toEqual([]);

    await tab.page.reload();
    await tab.text(/Reloading the page removed the token/).waitFor();
    await tab.page.evaluate(`location.hash = "token=${token}"`); // the link again, where the page is open
    await tab.page.waitForSelector(".bar .name");
    expect(tab.page.url()).not.toContain(token);
    expect(tab.requested.filter((url) => url.includes(token))).toEqual([]);
    expect(tab.logged.filter((text) => text.includes(token))).toEqual([]);
    expect(readFileSync(server.program.logFile, "utf8")).not.toContain(token);
    await tab.close();
  }, 60_000);

  test("works by the browser's certificate", async () => {
    const { cert, key } = server.authority.user("carla", ["system:masters"]);
    const certificate = { origin: server.url, cert: cert ?? Buffer.of(), key: key ?? Buffer.of() };
    const tab = await ConsolePage.open(browser, server.url, { clientCertificates: [certificate] });
    await tab.page.goto(`${server.url}/ui`);
    await tab.page.locator(".bar .name", { hasText: "carla" }).waitFor();
    await tab.close();
  }, 60_000);
});

describe("the pages of the console", () => {
  let tab: ConsolePage;
  beforeAll(async () => {
    tab = await ConsolePage.open(browser, server.url);
    await tab.signIn("admin-token");
  }, 60_000);

  test("list the kinds, custom ones too, with the number of their objects", async () => {
    await tab.page
      .getByRole("listitem")
      .filter({ hasText: /^ConfigMap\d+$/ })
      .waitFor();
    await tab.page
      .getByRole("listitem")
      .filter({ hasText: /^Widget1$/ })
      .waitFor();
    await eventually("all kinds are counted", async () => {
      return (await tab.page.locator(".count", { hasText: "…" }).count()) === 0;
    });
    const { requests } = (await server.admin.get("/debug/deprecations")).object() as unknown as { requests: object[] };
    expect(requests).toEqual([]);
    await tab.page.getByLabel("Filter").fill("wd");
    await eventually("only the widgets are left", async () => (await tab.page.locator(".kinds li").count()) === 1);
  }, 60_000);

  test("show tables that follow the changes, filtered and sorted", async () => {
    await tab.go("#/objects/core/v1/configmaps?ns=shop");
    await tab.page.getByRole("link", { name: "apples" }).waitFor();
    await tab.text(/live/).waitFor();
    await server.admin.post(
      MAPS,
      map("plums", { metadata: { name: "plums", labels: { tier: "db" } }, data: { a: "1", b: "2" } }),
    );
    await tab.page.getByRole("link", { name: "plums" }).waitFor();
    await tab.page.getByRole("button", { name: /^Data/ }).click();
    await tab.page.getByRole("button", { name: /^Data/ }).click();
    await eventually("plums come first", async () => (await firstRow()).startsWith("plums"));
    await tab.page.getByLabel("Filter", { exact: true }).fill("PEA");
    await eventually("only pears are left", async () => (await firstRow()).startsWith("pears"));
    await tab.page.getByLabel("Filter", { exact: true }).fill("");
    await tab.page.getByLabel("Label selector").fill("tier notin (web)");
    await tab.page.getByLabel("Label selector").press("Enter");
    await eventually("only plums are left", async () => (await tab.page.locator(".body .row").count()) === 1);
    await server.admin.delete(`${MAPS}/plums`);
    await tab.text(/^0 objects/).waitFor();
    await tab.page.getByLabel("Label selector").fill("tier in (");
    await tab.page.getByLabel("Label selector").press("Enter");
    await tab.text(/BadRequest/).waitFor();
  }, 60_000);

  const firstRow = async () => (await tab.page.locator(".body .row").first().textContent()) ?? "";

  test("keep what is typed in a field when they are rendered anew", async () => {
    const held = async (address: RegExp) => {
      const asked = new Promise<Route>((resolve) => tab.page.route(address, resolve, { times: 1 }));
      return async () => (await asked).continue();
    };
    const answerList = await held(/\/api\/v1\/secrets/);
    await tab.go("#/objects/core/v1/secrets");
    const selector = tab.page.getByRole("searchbox", { name: "Label selector" });
    await selector.fill("tier=w");
    await answerList();
    await tab.text(/objects?, live$/).waitFor();
    expect(await selector.inputValue()).toBe("tier=w");
    // The field follows the address.
    await tab.go("#/objects/core/v1/secrets?labels=tier%3Dweb");
    await eventually("the field has the selector", async () => (await selector.inputValue()) === "tier=web");

    const answerNames = await held(/\/api\/v1\/namespaces\?.*accessible/);
    await tab.go("#/objects/core/v1/configmaps");
    const namespace = tab.page.getByRole("combobox", { name: "Namespace" });
    await namespace.fill("sho");
    await server.admin.post("/api/v1/namespaces", { metadata: { name: "shown-late" } });
    await answerNames();
    await tab.page.locator("datalist option[value=shown-late]").waitFor({ state: "attached" });
    expect(await namespace.inputValue()).toBe("sho");
  }, 60_000);

  test("are used with the keys alone", async () => {
    await tab.go("#/kinds");
    await tab.page.locator("#main").focus();
    await tab.page.keyboard.press("g");
    await tab.page.keyboard.press("c");
    await tab.page.getByRole("heading", { name: "ConfigMap" }).waitFor();
    await tab.page.keyboard.press("/");
    await tab.page.keyboard.type("widget on");
    await tab.page.getByRole("option", { name: /^one/ }).waitFor();
    await tab.page.keyboard.press("ArrowDown");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("heading", { name: "one" }).waitFor();
    await tab.page.keyboard.press("?");
    await tab.page.getByRole("dialog", { name: "Keys" }).waitFor();
    await tab.page.keyboard.press("Escape");
    await tab.go("#/objects/core/v1/configmaps?ns=shop");
    await tab.page.getByRole("link", { name: "pears" }).waitFor();
    await tab.page.getByRole("grid").focus();
    await tab.page.keyboard.press("Home");
    await tab.page.keyboard.press("ArrowDown");
    await tab.page.keyboard.press("Enter");
    await tab.page.getByRole("heading", { name: "pears" }).waitFor();
  }, 60_000);

  test("take the keys after the one that opens the search", async () => {
    await tab.go("#/kinds");
    await tab.page.locator("#main").focus();
    // The next key comes in another task.
    const focused = await tab.page.evaluate(`(async () => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 0));
      return document.activeElement?.getAttribute("aria-label");
    })()`);
    expect(focused).toBe("Kind or name of an object");
    await tab.page.keyboard.press("Escape");
  }, 60_000);

  test("tell of pages, resources and objects that do not exist", async () => {
    await tab.go("#/nowhere");
    await tab.text("No such page").waitFor();
    await tab.go("#/objects/example.org/v1/nothings");
    await tab.text("No such resource").waitFor();
    await tab.go("#/object/core/v1/configmaps/shop/absent");
    await tab.text(/NotFound/).waitFor();
  }, 60_000);

  test("speak to no other host, and break no rule of the server", () => {
    expect([...new Set(tab.requested.map((url) => new URL(url).origin))]).toEqual([server.url]);
    expect(tab.faults).toEqual([]);
  });
});

const ADDRESSES: readonly (readonly [address: string, ready: string])[] = [
  ["#/kinds", ".kinds"],
  ["#/cluster", "text=/checks pass/"],
  ["#/objects/core/v1/configmaps", ".body .row"],
  ["#/object/core/v1/configmaps/shop/apples", ".yaml .line"],
  ["#/object/core/v1/configmaps/shop/apples?tab=related", "text=names this ConfigMap"],
  ["#/object/core/v1/configmaps/shop/apples?tab=history", ".revisions li"],
  ["#/deleted/core/v1/configmaps?ns=shop", ".revisions li"],
  ["#/edit/core/v1/configmaps/shop/apples", ".cm-line"],
  ["#/create/example.com/v1/widgets?ns=shop", ".cm-line"],
];

describe("axe-core finds nothing serious", () => {
  test.each([
    ["in the light", { colorScheme: "light", viewport: { width: 1200, height: 800 } }],
    ["in the dark on a small screen", { colorScheme: "dark", viewport: { width: 375, height: 700 } }],
  ] as const)(
    "%s",
    async (_where, options) => {
      const tab = await ConsolePage.open(browser, server.url, options);
      await tab.page.goto(`${server.url}/ui`);
      await tab.page.getByRole("heading", { name: "Sign in" }).waitFor();
      const found: Record<string, string[]> = { "sign-in": await tab.inaccessible() };
      await tab.signIn("admin-token");
      for (const [address, ready] of ADDRESSES) {
        await tab.go(address);
        await tab.page.locator(ready).first().waitFor();
        found[address] = await tab.inaccessible();
      }
      for (const key of ["/", "?"]) {
        await tab.page.locator("#main").focus();
        await tab.page.keyboard.press(key);
        await tab.page.getByRole("dialog").waitFor();
        found[key] = await tab.inaccessible();
        await tab.page.keyboard.press("Escape");
      }
      expect(Object.entries(found).filter(([, findings]) => findings.length > 0)).toEqual([]);
      // A page is no wider than the screen: only tables and texts scroll within themselves.
      expect(await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(tab.faults).toEqual([]);
      await tab.close();
    },
    120_000,
  );
});
