// The page of the console about access: the user, their rights, and questions, with few rights and with many.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ConsolePage, startBrowser } from "./harness/console";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let browser: Browser;
/** Tabs of a user with many rights, and of one with few. */
let admins: ConsolePage;
let viewers: ConsolePage;

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";
/** Texts that run when they are taken for markup. */
const ROLE = "<img src=x onerror=alert(1)>";
const HOSTILE_GROUP = `"><script>alert(2)</script>`;

const bind = (
  name: string,
  role: { kind: string; name: string },
  ...subjects: readonly (readonly [string, string])[]
) => ({
  metadata: { name },
  roleRef: { apiGroup: GROUP, ...role },
  subjects: subjects.map(([kind, subject]) => ({ kind, name: subject, apiGroup: GROUP })),
});

beforeAll(async () => {
  [server, browser] = await Promise.all([
    startApiServer(workplace, { store: { kind: "memory" }, flags: ["--vocabulary=kubernetes"] }),
    startBrowser(),
  ]);
  const { admin } = server;
  for (const name of ["shop", "other"]) await admin.post("/api/v1/namespaces", { metadata: { name } });
  await admin.post(`${RBAC}/clusterroles`, {
    metadata: { name: ROLE },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
  });
  await admin.post(
    `${RBAC}/namespaces/shop/rolebindings`,
    bind("reads", { kind: "ClusterRole", name: ROLE }, ["User", "viewer"], ["Group", HOSTILE_GROUP]),
  );
  [admins, viewers] = await Promise.all([opened("admin-token"), opened("viewer-token")]);
}, 120_000);
afterAll(async () => browser?.close());

const section = (tab: ConsolePage, title: string | RegExp) => tab.page.getByRole("region", { name: title });

async function opened(token: string, address = "#/access"): Promise<ConsolePage> {
  const tab = await ConsolePage.open(browser, server.url);
  await tab.signIn(token);
  await tab.go(address);
  return tab;
}

describe("a user with many rights", () => {
  let tab: ConsolePage;
  beforeAll(() => {
    tab = admins;
  });

  test("sees who they are, and asks a question with keys alone", async () => {
    const { page } = tab;
    await page.locator("#main").focus();
    for (const key of ["g", "a"]) await page.keyboard.press(key);
    for (const text of ["admin", "system:masters", "uid-1", "a bearer token", /the token does not tell/])
      await page.locator("#main").getByText(text).first().waitFor();
    const reach = async (name: string | RegExp) => {
      for (let steps = 0; steps < 20; steps++) {
        await page.keyboard.press("Tab");
        if (
          await page
            .locator(":focus")
            .and(page.getByRole("link", { name }).or(page.getByLabel(name)))
            .count()
        )
          return;
      }
      throw new Error(`no ${name} is reached with the key Tab`);
    };
    await reach("Why, and who can");
    await page.keyboard.press("Enter");
    await page.getByRole("form", { name: "Question" }).waitFor();
    for (const [label, text] of [
      ["Verb", "list"],
      ["Resource or path", "cm"],
      ["Namespace", "shop"],
    ] as const) {
      await reach(label);
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    await section(tab, "May I?").getByText("Yes: admin can list configmaps in the namespace shop.").waitFor();
    await section(tab, "May I?")
      .getByText(/another authorizer does|grants it to group system:masters/)
      .waitFor();
  }, 60_000);

  test("sees who can, by which binding and role, with hostile names as texts", async () => {
    await tab.go("#/access/question?verb=list&resource=configmaps&ns=shop");
    const table = section(tab, "Subjects: table");
    await table.getByRole("row", { name: "User viewer shop RoleBinding shop/reads" }).waitFor();
    await table.getByText(HOSTILE_GROUP).waitFor();
    await table
      .getByRole("link", { name: `ClusterRole ${ROLE}` })
      .first()
      .click();
    await tab.page.getByRole("heading", { name: ROLE }).waitFor();
    expect(await tab.page.locator("main img, main script").count()).toBe(0);
    expect(tab.faults).toEqual([]);
  }, 60_000);

  test("sees the namespaces in which they have permissions, and what they may list there", async () => {
    await tab.go("#/access/namespaces");
    const table = section(tab, "Namespaces: table");
    await table.getByRole("row", { name: "shop all kinds Rights in shop" }).waitFor();
    await table.getByRole("link", { name: "Rights in other" }).click();
    await section(tab, "Rights: table").getByRole("row", { name: "all resources *" }).waitFor();
  }, 60_000);

  test.each(["user", "rights", "question?verb=list&resource=configmaps&ns=shop", "namespaces", "impersonate"])(
    "finds the view %s accessible, and readable at 375 px",
    async (view) => {
      await tab.page.setViewportSize({ width: 375, height: 700 });
      await tab.go(`#/access/${view}`);
      await tab.page.locator(".section").first().waitFor();
      await tab.page.locator(".loading").first().waitFor({ state: "detached" });
      expect(await tab.inaccessible()).toEqual([]);
      expect(await tab.page.evaluate("document.documentElement.scrollWidth")).toBe(375);
      expect(tab.faults).toEqual([]);
    },
    60_000,
  );
});

describe("a user with few rights", () => {
  let tab: ConsolePage;
  beforeAll(() => {
    tab = viewers;
  });

  test("sees the rights of a namespace, and filters them", async () => {
    await tab.go("#/access/rights?ns=shop");
    const rights = section(tab, "Rights: table");
    await rights.getByRole("row", { name: "configmaps get, list" }).waitFor();
    await rights.getByRole("row", { name: "/version get" }).waitFor();
    await tab.page.getByLabel("Filter").fill("configm");
    await tab.text(/^1 of \d+ rights$/).waitFor();
    await tab.page.getByRole("combobox", { name: "Namespace" }).fill("other");
    await tab.page.getByRole("combobox", { name: "Namespace" }).press("Enter");
    await tab.text("No right has this text.").waitFor();
  }, 60_000);

  test("is told that the list of rights is incomplete when an authorizer cannot list its rules", async () => {
    const status = {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: "webhook cannot list",
    };
    await tab.page.route("**/selfsubjectrulesreviews", (route) => route.fulfill({ status: 201, json: { status } }));
    await tab.go("#/access/rights?ns=shop");
    await tab.text(/^The list is incomplete/).waitFor();
    await tab.text("webhook cannot list").waitFor();
    await tab.page.unroute("**/selfsubjectrulesreviews");
  }, 60_000);

  test("is led from a refusal to its reason, and told which permission the rest needs", async () => {
    await tab.go("#/objects/core/v1/configmaps?ns=other");
    await tab.page.getByRole("link", { name: "Why?" }).click();
    const may = section(tab, "May I?");
    await may.getByText("No: viewer cannot list configmaps in the namespace other.").waitFor();
    await may.getByText(/nearest grants: RoleBinding "reads\/shop" .* allows it in the namespace "shop"/).waitFor();
    await section(tab, "Who can?")
      .getByText("you have no permission to list clusterroles, roles, clusterrolebindings, rolebindings.")
      .waitFor();
    await tab.go("#/kinds?ns=other&q=secret");
    await tab.page.getByRole("link", { name: "not allowed" }).click();
    await may.getByText("No: viewer cannot list secrets in the namespace other.").waitFor();
    await tab.go("#/cluster");
    await section(tab, "Load").getByRole("link", { name: "Why?" }).click();
    await may.getByText("No: viewer cannot get /metrics.").waitFor();
    expect(tab.faults).toEqual([]);
  }, 60_000);

  test("sees the nearest grants when they may read roles and bindings", async () => {
    await server.admin.post(`${RBAC}/clusterroles`, {
      metadata: { name: "reads-rbac" },
      rules: [{ apiGroups: [GROUP], resources: ["*"], verbs: ["list"] }],
    });
    await server.admin.post(
      `${RBAC}/clusterrolebindings`,
      bind("reads-rbac", { kind: "ClusterRole", name: "reads-rbac" }, ["User", "viewer"]),
    );
    await tab.go("#/access/question?verb=list&resource=configmaps&ns=other");
    const near = tab.page.getByRole("list", { name: "Nearest grants" });
    await near.getByText("RoleBinding shop/reads grants it in the namespace shop").waitFor();
    await near.getByText("get,list configmaps").waitFor();
  }, 60_000);
});

const SUGGESTED = `[...document.querySelectorAll("datalist option")].map(({ value }) => value)`;

describe("an impersonation", () => {
  const assume = async (tab: ConsolePage, user: string, group = "") => {
    await tab.go("#/access/impersonate");
    await tab.page.getByRole("radio", { name: "User" }).check();
    await tab.page.getByRole("textbox", { name: "User" }).fill(user);
    await tab.page.getByLabel("Groups").fill(group);
    await tab.page.getByRole("button", { name: "Act as this user" }).click();
  };
  const banner = (tab: ConsolePage) => tab.page.locator(".note.impersonation");

  test("shows the console with the rights of the other user, names outside of Latin-1 included, and ends", async () => {
    const tab = admins;
    await tab.go("#/access/impersonate");
    await tab.page.getByRole("button", { name: "Act as this user" }).click();
    await tab.text("Enter the name of the user").waitFor();
    await assume(tab, "jané ✓", `${HOSTILE_GROUP}\nbakers, grün`);
    await banner(tab)
      .getByText(`You see and act as jané ✓ of the groups ${HOSTILE_GROUP}, "bakers, grün", system:authenticated.`)
      .waitFor();
    await tab.go("#/objects/core/v1/secrets");
    await tab.text(/User "jané ✓" cannot list/).waitFor();
    await tab.go("#/objects/core/v1/configmaps?ns=shop");
    await tab.text(/objects?, live$/).waitFor();
    await tab.page.locator("datalist option[value=shop]").waitFor({ state: "attached" });
    expect(await tab.page.evaluate(SUGGESTED)).toEqual(["shop"]);
    expect(await tab.inaccessible()).toEqual([]);
    await banner(tab).getByRole("button", { name: "Be yourself again" }).click();
    await banner(tab).waitFor({ state: "detached" });
    await tab.go("#/objects/core/v1/secrets");
    await tab.text(/objects?, live$/).waitFor();
    expect(tab.faults).toEqual([]);
  }, 60_000);

  test("is refused in words that name the assumed user, who may not ask who they are", async () => {
    await assume(admins, "system:anonymous");
    const note = admins.page.locator(".note.failure", { hasText: "does not let this user ask it" });
    await note.getByText('User "system:anonymous" cannot create resource "selfsubjectreviews"').waitFor();
    expect(await note.getByRole("link", { name: "Why?" }).count()).toBe(0);
  }, 60_000);

  test("leaves room for the page when the name is long and the groups are many", async () => {
    const groups = Array.from({ length: 60 }, (_, at) => `group-${at}`).join("\n");
    await assume(admins, "x".repeat(120), groups);
    await banner(admins).getByText("group-0, group-1, group-2, 58 more").waitFor();
    expect((await banner(admins).boundingBox())?.height).toBeLessThan(150);
    expect(await admins.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await banner(admins).getByRole("button", { name: "Be yourself again" }).click();
    await admins.go("#/kinds");
    await admins.page.getByRole("heading", { name: "Kinds" }).waitFor();
  }, 60_000);

  test("assumes a service account, with its groups", async () => {
    const tab = admins;
    await tab.go("#/access/impersonate");
    await tab.page.getByRole("radio", { name: "Service account" }).check();
    await tab.page.getByRole("combobox", { name: "Namespace" }).fill("shop");
    await tab.page.getByLabel("Name", { exact: true }).fill("web");
    await tab.page.keyboard.press("Enter");
    await banner(tab)
      .getByText(/as system:serviceaccount:shop:web of the groups system:serviceaccounts, /)
      .waitFor();
    await tab.go("#/access/user");
    await tab.text("admin, who acts as the user above").waitFor();
    await banner(tab).getByRole("button", { name: "Be yourself again" }).click();
  }, 60_000);

  test("ends when the user signs in by another link", async () => {
    const tab = await opened("admin-token");
    await assume(tab, "jane");
    await banner(tab).waitFor();
    await tab.go("#token=viewer-token");
    await tab.page.locator(".bar .name", { hasText: /^viewer$/ }).waitFor();
    await banner(tab).waitFor({ state: "detached" });
    // The page is that of the user, also without an impersonation.
    await tab.go("#/objects/core/v1/secrets");
    await tab.text(/User "viewer" cannot list/).waitFor();
    await tab.go("#token=admin-token");
    await tab.text(/objects?, live$/).waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  }, 60_000);

  test("is refused with words to a user without the permission, and has not begun", async () => {
    const tab = viewers;
    await tab.go("#/access/impersonate");
    await tab.text(/neither the permission to impersonate users in all namespaces nor to/).waitFor();
    await tab.page.getByRole("button", { name: "Try one" }).click();
    await assume(tab, "admin");
    const refusal = tab.page.locator(".failure", { hasText: /viewer" cannot impersonate/ });
    await refusal.getByRole("link", { name: "Why?" }).click();
    await tab.text(/No: viewer cannot impersonate/).waitFor();
    expect(await banner(tab).count()).toBe(0);
  }, 60_000);

  test("ends with words when the permission is withdrawn", async () => {
    const { admin } = server;
    await admin.post(`${RBAC}/clusterroles`, {
      metadata: { name: "acts-as-jane" },
      rules: [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["jane"] }],
    });
    const binding = bind("acts-as-jane", { kind: "ClusterRole", name: "acts-as-jane" }, ["User", "viewer"]);
    await admin.post(`${RBAC}/clusterrolebindings`, binding);
    const tab = viewers;
    await tab.go("#/access/impersonate");
    await tab.page.getByRole("button", { name: "Try one" }).click();
    await eventually("the permission has arrived", async () => {
      await assume(tab, "jane");
      await tab.page.locator(".note.impersonation, .note.failure").first().waitFor();
      return (await banner(tab).count()) > 0;
    });
    // The assumed user lacks this permission; the impersonation goes on.
    await tab.go("#/objects/core/v1/configmaps?ns=shop");
    await tab.page.locator(".failure", { hasText: /User "jane" cannot list/ }).waitFor();
    await admin.delete(`${RBAC}/clusterrolebindings/acts-as-jane`);
    await eventually("the server refuses the impersonation", async () => {
      for (const kind of ["secrets", "configmaps"]) await tab.go(`#/objects/core/v1/${kind}`);
      await tab.page.locator(".failure").first().waitFor();
      return (
        (await banner(tab)
          .getByText(/no longer lets you act as jane: .* cannot impersonate/)
          .count()) > 0
      );
    });
    await tab.text(/User "viewer" cannot list/).waitFor();
    await banner(tab).getByRole("button", { name: "Close" }).click();
    expect(await banner(tab).count()).toBe(0);
    expect(tab.faults).toEqual([]);
  }, 60_000);
});

test("a user with a token of a service account sees until when it is valid", async () => {
  const { admin } = server;
  await admin.post("/api/v1/namespaces/shop/serviceaccounts", { metadata: { name: "web" } });
  const answer = await admin.post("/api/v1/namespaces/shop/serviceaccounts/web/token", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600 },
  });
  const { token } = (answer.object() as unknown as { status: { token: string } }).status;
  const tab = await opened(token, "#/access");
  const main = tab.page.locator("#main");
  for (const text of ["system:serviceaccount:shop:web", "system:serviceaccounts:shop", /, in \d+m/, "Issuer"])
    await main.getByText(text).first().waitFor();
  expect(tab.faults).toEqual([]);
  await tab.close();
}, 60_000);
