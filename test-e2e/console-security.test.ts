// The console in a browser: hostile texts in objects, and users with few rights.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ConsolePage, startBrowser } from "./harness/console";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let browser: Browser;

/** A text that runs when it is taken for markup. */
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
/** A name of a role may have any characters but a slash and a percent sign. */
const NAME = "<img src=x onerror=alert(3)>";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const WIDGETS = "/apis/example.com/v1/namespaces/shop/widgets";

beforeAll(async () => {
  const flags = ["--vocabulary=kubernetes", "--history=*.example.com,configmaps=5"];
  [server, browser] = await Promise.all([
    startApiServer(workplace, { store: { kind: "memory" }, flags }),
    startBrowser(),
  ]);
  const { admin } = server;
  for (const name of ["shop", "other"]) await admin.post("/api/v1/namespaces", { metadata: { name } });
  await admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: HOSTILE,
              properties: { note: { type: "string", description: HOSTILE } },
            },
          },
          additionalPrinterColumns: [{ name: "Note", type: "string", jsonPath: ".note", description: HOSTILE }],
        },
      ],
    },
  });
  const widget = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "bad", annotations: { "example.com/note": HOSTILE } },
    note: HOSTILE,
  };
  await eventually("the definition is served", async () => (await admin.post(WIDGETS, widget)).status === 201);
  const made = (await admin.get(`${WIDGETS}/bad`)).object();
  await admin.put(`${WIDGETS}/bad?fieldManager=${encodeURIComponent(NAME)}`, { ...made, note: `${HOSTILE} again` });
  await admin.post("/api/v1/namespaces/shop/events", {
    metadata: { name: "told" },
    involvedObject: { namespace: "shop", name: "bad", kind: "Widget", uid: made.metadata.uid },
    reason: HOSTILE.slice(0, 60),
    message: HOSTILE,
    type: "Warning",
  });
  await admin.post(`${RBAC}/clusterroles`, { metadata: { name: NAME }, rules: [] });
}, 120_000);
afterAll(async () => browser?.close());

test("hostile texts of objects are shown as texts", async () => {
  const tab = await ConsolePage.open(browser, server.url);
  await tab.signIn("admin-token");
  const pages: readonly (readonly [address: string, shown: string])[] = [
    ["#/objects/example.com/v1/widgets", HOSTILE],
    ["#/object/example.com/v1/widgets/shop/bad", HOSTILE],
    ["#/object/example.com/v1/widgets/shop/bad", NAME], // a field manager
    ["#/object/example.com/v1/widgets/shop/bad?tab=events", HOSTILE],
    ["#/object/example.com/v1/widgets/shop/bad?tab=history", HOSTILE],
    ["#/edit/example.com/v1/widgets/shop/bad", "onerror"],
    ["#/create/example.com/v1/widgets?ns=shop", "kind: Widget"],
    ["#/objects/rbac.authorization.k8s.io/v1/clusterroles", NAME],
    [`#/object/rbac.authorization.k8s.io/v1/clusterroles/-/${encodeURIComponent(NAME)}`, NAME],
    [
      `#/objects/core/v1/configmaps?ns=${encodeURIComponent(HOSTILE)}&q=${encodeURIComponent(HOSTILE)}`,
      "NotFound|0 objects",
    ],
    [`#/${encodeURIComponent(HOSTILE)}`, HOSTILE],
    [`#/object/core/v1/${encodeURIComponent(HOSTILE)}/-/x`, HOSTILE],
  ];
  for (const [address, shown] of pages) {
    await tab.go(address);
    const words = shown.includes("|") ? new RegExp(shown) : shown;
    await tab.page.locator("#main").getByText(words).first().waitFor();
    expect({ address, elements: await tab.page.locator("main img, main script, iframe").count() }).toEqual({
      address,
      elements: 0,
    });
  }
  await tab.page.keyboard.press("/");
  await tab.page.keyboard.type("clusterrole onerror");
  await tab.page.getByRole("option", { name: NAME }).waitFor();
  expect(tab.faults).toEqual([]);
  await tab.close();
}, 90_000);

test("a link of an object cannot be made to run a script", async () => {
  const tab = await ConsolePage.open(browser, server.url);
  await tab.signIn("admin-token");
  await tab.go("#/object/example.com/v1/widgets/shop/bad?tab=related");
  await tab.text(/has no owners/).waitFor();
  const schemes = `[...new Set([...document.querySelectorAll("a[href]")].map(({ protocol }) => protocol))]`;
  expect(await tab.page.evaluate(schemes)).toEqual(["https:"]);
  await tab.close();
}, 60_000);

describe("a user with few rights", () => {
  let tab: ConsolePage;
  beforeAll(async () => {
    tab = await ConsolePage.open(browser, server.url);
    await tab.signIn("viewer-token");
  }, 60_000);
  afterAll(() => tab?.close());

  test("sees which kinds they may not list, and why a list is refused", async () => {
    await tab.page.locator(".kinds li", { hasText: /^ConfigMapnot allowed$/ }).waitFor();
    await tab.go("#/objects/core/v1/configmaps");
    await tab.page
      .locator(".failure", { hasText: /Forbidden.*viewer.*cannot list.*configmaps.*Ask an administrator/s })
      .waitFor();
    await tab.go("#/object/core/v1/secrets/shop/x");
    await tab.page.locator(".failure", { hasText: /Forbidden/ }).waitFor();
  }, 60_000);

  test("sees what they may see, as soon as they may, and changes nothing else", async () => {
    await server.admin.post(`${RBAC}/namespaces/shop/rolebindings`, {
      metadata: { name: "views" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "viewer" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    });
    await server.admin.post("/api/v1/namespaces/shop/configmaps", { metadata: { name: "seen" }, data: { a: "1" } });
    await eventually("the right is there", async () => {
      await tab.go("#/kinds");
      await tab.go("#/objects/core/v1/configmaps?ns=shop");
      await tab.page.locator(".state, .failure").first().waitFor();
      return (await tab.page.locator(".failure").count()) === 0;
    });
    await tab.page.getByRole("link", { name: "seen" }).click();
    await tab.page.locator(".line", { hasText: 'a: "1"' }).waitFor();
    await tab.page.getByRole("link", { name: "History" }).click();
    await tab.page.locator(".failure", { hasText: /cannot get.*configmaps\/history/ }).waitFor();
    await tab.page.getByRole("link", { name: "Owners and dependents" }).click();
    await tab.text(/You may not list/).waitFor();
    await tab.page.getByRole("button", { name: "Delete" }).click();
    await tab.page.getByRole("button", { name: "Delete it" }).click();
    await tab.page.locator("dialog .failure", { hasText: /cannot delete/ }).waitFor();
    await tab.page.getByRole("button", { name: "Keep it" }).click();
    await tab.go("#/edit/core/v1/configmaps/shop/seen");
    await tab.page.locator(".cm-line").first().waitFor();
    await tab.page.getByRole("button", { name: "Review" }).click();
    await tab.page.locator(".review .failure", { hasText: /cannot patch/ }).waitFor();
    expect(tab.faults).toEqual([]);
  }, 60_000);

  test("is asked for another credential when the server no longer knows theirs", async () => {
    await tab.page.route("**/api/v1/**", (route) =>
      route.fulfill({
        status: 401,
        json: { kind: "Status", code: 401, reason: "Unauthorized", message: "Unauthorized" },
      }),
    );
    await tab.go("#/objects/core/v1/configmaps?ns=shop");
    await tab.text(/no longer accepts the token/).waitFor();
  }, 60_000);
});
