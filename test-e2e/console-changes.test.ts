// The console in a browser: edits, conflicts, history, deletions, and a server that restarts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ConsolePage, startBrowser } from "./harness/console";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let browser: Browser;
let tab: ConsolePage;

const MAPS = "/api/v1/namespaces/shop/configmaps";
const APPLY = { headers: { "content-type": "application/apply-patch+yaml" } };
const dataOf = async (name: string) => (await server.admin.get(`${MAPS}/${name}`)).object()["data"];

beforeAll(async () => {
  const flags = ["--vocabulary=kubernetes", "--history=configmaps=10"];
  [server, browser] = await Promise.all([
    startApiServer(workplace, { store: { kind: "embedded" }, flags }),
    startBrowser(),
  ]);
  await server.admin.post("/api/v1/namespaces", { metadata: { name: "shop" } });
  tab = await ConsolePage.open(browser, server.url);
  await tab.signIn("admin-token");
}, 120_000);
beforeEach(() => tab.go("#/kinds"));
afterAll(async () => {
  await browser?.close();
});

/** Writes the object as another client, which then manages these fields. */
const applyAs = (manager: string, name: string, data: Readonly<Record<string, string>>) =>
  server.admin.send(`${MAPS}/${name}?fieldManager=${manager}&force=true`, {
    method: "PATCH",
    ...APPLY,
    body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }),
  });

const button = (name: string | RegExp) => tab.page.getByRole("button", { name, exact: true });

describe("an object in the console", () => {
  test("shows the manager of each field, and follows the changes of others", async () => {
    await applyAs("gardener", "apples", { red: "1" });
    await tab.go("#/object/core/v1/configmaps/shop/apples");
    await tab.page.locator(".line", { hasText: /red: "1"\s*gardener/ }).waitFor();
    await applyAs("grocer", "apples", { green: "7" });
    await tab.page.locator(".line", { hasText: /green: "7"\s*grocer/ }).waitFor();
  }, 60_000);

  test("is changed after a review, which shows the difference and what admission did", async () => {
    await applyAs("gardener", "pears", { count: "1" });
    await tab.go("#/edit/core/v1/configmaps/shop/pears");
    await tab.page.locator(".cm-line").first().waitFor();
    expect(await button("Apply").isDisabled()).toBe(true);
    await tab.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: pears\ndata:\n  count: '1'\n  note: ripe\n");
    await button("Review").click();
    await tab.page.locator(".diff .added", { hasText: "note: ripe" }).waitFor();
    await tab.text(/Admission: \d+ steps/).waitFor();
    expect(await dataOf("pears")).toEqual({ count: "1" });
    await button("Apply").click();
    await tab.page.locator(".line", { hasText: /note: ripe\s*console/ }).waitFor();
    expect(await dataOf("pears")).toEqual({ count: "1", note: "ripe" });
  }, 60_000);

  test("names the managers that an apply conflicts with, and takes their fields over when asked", async () => {
    await applyAs("gardener", "plums", { count: "1" });
    await tab.go("#/edit/core/v1/configmaps/shop/plums");
    await tab.page.locator(".cm-line").first().waitFor();
    await tab.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: plums\ndata:\n  count: '2'\n");
    await button("Review").click();
    await tab.page.locator(".review li", { hasText: /data\.count.*conflict with "gardener"/ }).waitFor();
    await tab.text("Leave the fields as they are, or take them over from their managers.").waitFor();
    expect(await button("Apply").isDisabled()).toBe(true);
    await tab.page.getByLabel("Take the fields over from their managers").check();
    await button("Review").click();
    await tab.page.locator(".diff .added", { hasText: "count" }).waitFor();
    await button("Apply").click();
    await eventually("the field is written", async () => {
      return JSON.stringify(await dataOf("plums")) === JSON.stringify({ count: "2" });
    });
  }, 60_000);

  test("is not replaced when it has changed in the meantime, and names what is wrong with it", async () => {
    await applyAs("gardener", "figs", { count: "1" });
    await tab.go("#/edit/core/v1/configmaps/shop/figs");
    await tab.page.locator(".cm-line").first().waitFor();
    const { resourceVersion } = (await server.admin.get(`${MAPS}/figs`)).object().metadata;
    await tab.page.getByLabel("Way of writing").selectOption("replace");
    await tab.write(
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: figs\n  namespace: shop\n  resourceVersion: "${resourceVersion}"\ndata: {a: b}\n`,
    );
    await applyAs("gardener", "figs", { count: "2" });
    await tab.text(/has changed since you began/).waitFor();
    await button("Review").click();
    await tab.page.locator(".review .failure", { hasText: "Conflict" }).waitFor();
    await tab.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: figs\ndata: 7\n");
    await button("Review").click();
    await tab.page.locator(".review .failure", { hasText: /data/ }).waitFor();
    await tab.write("a: [");
    await tab.page.locator("p.failure").waitFor();
    expect(await button("Review").isDisabled()).toBe(true);
  }, 60_000);

  test("does not take a user away from another page when the answer of a write is late", async () => {
    await applyAs("gardener", "grapes", { count: "1" });
    await tab.go("#/edit/core/v1/configmaps/shop/grapes");
    await tab.page.locator(".cm-line").first().waitFor();
    await tab.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: grapes\ndata:\n  count: '1'\n  note: ripe\n");
    await button("Review").click();
    await tab.page.locator(".diff .added", { hasText: "note: ripe" }).waitFor();
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    await tab.page.route(`**${MAPS}/grapes?**`, async (held) => {
      const response = await held.fetch();
      await left;
      await held.fulfill({ response });
    });
    await button("Apply").click();
    await eventually("the field is written", async () => {
      return JSON.stringify(await dataOf("grapes")) === JSON.stringify({ count: "1", note: "ripe" });
    });
    await tab.go("#/kinds");
    await tab.page.getByRole("heading", { name: "Kinds" }).waitFor();
    const answered = tab.page.waitForEvent("requestfinished", (request) => request.method() === "PATCH");
    leave();
    await answered;
    await tab.page.unroute(`**${MAPS}/grapes?**`);
    await tab.page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    expect(await tab.page.evaluate("location.hash")).toBe("#/kinds");
  }, 60_000);

  test("is created from the example of its schema, with completion of its fields", async () => {
    await tab.go("#/create/core/v1/configmaps?ns=shop");
    await tab.page.locator(".cm-line", { hasText: "name: example" }).waitFor();
    await tab.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n");
    await tab.page.keyboard.type("immu");
    // The editor ignores the key Enter for a moment after the list has appeared, but not a click.
    await tab.page.locator(".cm-tooltip-autocomplete li", { hasText: "immutable" }).click();
    await tab.page.keyboard.type("true");
    await tab.page.keyboard.press("Escape");
    await button("Review").click();
    await tab.page.locator(".diff .added", { hasText: "immutable: true" }).waitFor();
    await button("Create").click();
    await tab.page.getByRole("heading", { name: "made" }).waitFor();
    expect((await server.admin.get(`${MAPS}/made`)).object()).toMatchObject({ immutable: true });
  }, 60_000);
});

describe("the history of an object in the console", () => {
  test("shows who changed what, and rolls back after a look at the difference", async () => {
    await applyAs("gardener", "nuts", { count: "1" });
    await applyAs("grocer", "nuts", { count: "2" });
    await tab.go("#/object/core/v1/configmaps/shop/nuts?tab=history");
    await tab.page.locator(".revision", { hasText: /updated by admin.*grocer/ }).waitFor();
    await tab.page.locator(".patch", { hasText: "/data/count" }).first().waitFor();
    await button(/^Compare and roll back/)
      .first()
      .click();
    await tab.page.locator(".diff .added", { hasText: 'count: "1"' }).waitFor();
    await button("Roll back").click();
    await eventually("the former state is back", async () => {
      return JSON.stringify(await dataOf("nuts")) === JSON.stringify({ count: "1" });
    });
    await eventually("the rollback is listed", async () => (await tab.page.locator(".revision").count()) === 3);
  }, 60_000);

  test("brings a deleted object back", async () => {
    await applyAs("gardener", "dates", { count: "9" });
    await tab.go("#/object/core/v1/configmaps/shop/dates");
    await button("Delete").click();
    await button("Delete it").click();
    await tab.text("The object was deleted.").waitFor();
    await tab.page.getByRole("link", { name: "Deleted objects" }).click();
    await button("Show dates").click();
    await tab.page.locator(".state", { hasText: 'count: "9"' }).waitFor();
    await button("Restore dates").click();
    await tab.page.getByRole("heading", { name: "dates" }).waitFor();
    expect(await dataOf("dates")).toEqual({ count: "9" });
  }, 60_000);

  test("is told to be missing where the server keeps none", async () => {
    await tab.go("#/object/core/v1/namespaces/-/shop?tab=history");
    await tab.text(/keeps no history of this object/).waitFor();
    await tab.go("#/deleted/core/v1/secrets?ns=shop");
    await tab.text(/no history of this resource|no deleted objects/).waitFor();
  }, 60_000);
});

test("changes of an object and its events come over one connection", async () => {
  const { uid } = (await server.admin.post(MAPS, { metadata: { name: "eventful" } })).object().metadata;
  await tab.go("#/object/core/v1/configmaps/shop/eventful?tab=events");
  await tab.text(/no events about the object/).waitFor();
  await server.admin.post("/api/v1/namespaces/shop/events", {
    metadata: { name: "happened" },
    involvedObject: { kind: "ConfigMap", namespace: "shop", name: "eventful", uid },
    reason: "Happened",
    message: "something happened",
  });
  await tab.page.getByRole("cell", { name: "something happened" }).waitFor();
  await applyAs("gardener", "eventful", { a: "1" });
  await tab.page.getByRole("link", { name: "YAML" }).click();
  await tab.page.locator(".line", { hasText: 'a: "1"' }).waitFor();
  const shared = (url: string) => /\/watch\?resource=.*configmaps.*&resource=.*events/.test(url);
  expect(tab.requested.filter(shared)).not.toEqual([]);
}, 60_000);

describe("a deletion that does not end", () => {
  test("is explained by its finalizers, and one that is refused by its protection", async () => {
    const metadata = { name: "stuck", finalizers: ["example.com/waits"] };
    await server.admin.post(MAPS, { metadata });
    await server.admin.delete(`${MAPS}/stuck`);
    await tab.go("#/object/core/v1/configmaps/shop/stuck");
    await tab.text(/example\.com\/waits waits for its controller/).waitFor();
    const annotations = { "kubernetes.io/deletion-protection": "true" };
    await server.admin.post(MAPS, { metadata: { name: "kept", annotations } });
    await tab.go("#/object/core/v1/configmaps/shop/kept");
    await tab.text(/protected by the annotation/).waitFor();
    await button("Delete").click();
    await button("Delete it").click();
    await tab.page.locator("dialog .failure", { hasText: "protected from deletion" }).waitFor();
    await button("Keep it").click();
  }, 60_000);

  test("shows the owners and the dependents", async () => {
    const { uid } = (await server.admin.post(MAPS, { metadata: { name: "owner" } })).object().metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    await server.admin.post(MAPS, { metadata: { name: "owned", ownerReferences } });
    await tab.go("#/object/core/v1/configmaps/shop/owner?tab=related");
    await tab.page.locator(".tree").getByRole("link", { name: "owned" }).click();
    await tab.page.getByRole("heading", { name: "owned" }).waitFor();
    await tab.page.getByRole("link", { name: "Owners and dependents" }).click();
    await tab.page.locator(".tree").getByRole("link", { name: "owner" }).waitFor();
  }, 60_000);
});

test("a table goes on after the server has restarted, with words in between", async () => {
  await tab.go("#/objects/core/v1/configmaps?ns=shop");
  await tab.text(/live/).waitFor();
  await server.stop();
  await tab.text(/Unreachable/).waitFor();
  await server.start();
  await server.admin.post(MAPS, { metadata: { name: "after-restart" } });
  await tab.page.getByRole("link", { name: "after-restart" }).waitFor();
  await tab.page.locator(".state", { hasText: "live" }).waitFor();
  expect(tab.faults).toEqual([]);
}, 90_000);
