// Writes the pictures of docs/console.md: starts a server with example objects, and opens the console in the browser of
// the tests. Run it after `make build`, when the look of the console has changed. See USAGE.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { readCommandLine } from "./command-line.mjs";
import { freePort } from "./free-port.mjs";

const USAGE = `Usage: node scripts/write-screenshots.mjs [FOLDER]

Writes the pictures of docs/console.md to FOLDER, docs/images by default.`;

const root = fileURLToPath(new URL("..", import.meta.url));
const SIZE = { width: 1000, height: 620 };
const SHOP = "/api/v1/namespaces/shop";

const PICTURES = [
  { name: "kinds", address: "#/kinds", ready: "li:has-text('ConfigMap') .count:has-text('1')" },
  { name: "table", address: "#/objects/core/v1/configmaps?ns=shop", ready: ".state:has-text('live')" },
  { name: "object", address: "#/object/core/v1/configmaps/shop/prices", ready: ".yaml .manager:has-text('grocer')" },
  {
    name: "access",
    address: "#/access/question?verb=update&resource=configmaps&ns=shop",
    ready: "section[aria-label='Subjects: table'] a:has-text('cooks')",
  },
  {
    name: "rollback",
    address: "#/object/core/v1/configmaps/shop/prices?tab=history",
    ready: ".revisions button",
    act: async (page) => {
      await page.locator(".revisions button").first().click();
      await page.locator(".diff .added").first().waitFor();
      await page.locator(".primary:not(:disabled)").waitFor();
    },
  },
];

const { positionals } = readCommandLine(USAGE, { allowPositionals: true });
const target = positionals[0] ?? join(root, "docs/images");
mkdirSync(target, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "screenshots-"));
const port = await freePort();
const server = spawn(
  process.execPath,
  [
    ...[join(root, "packages/standalone/dist/main.js"), "--bind-address=127.0.0.1", `--secure-port=${port}`],
    ...[`--data-dir=${folder}`, "--store=memory", "--vocabulary=kubernetes", "--history=configmaps=10"],
  ],
  { stdio: "ignore" },
);
try {
  const link = await untilWritten(join(folder, "explorer.url"));
  const token = link.split("#token=")[1];
  const url = `https://127.0.0.1:${port}`;
  const browser = await chromium.launch({ executablePath: join(root, ".tools/bin/chromium"), args: ["--no-sandbox"] });
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: SIZE });
  const page = await context.newPage();
  await fill(context.request, url, token);
  await page.goto(`${url}/ui#token=${token}`);
  for (const { name, address, ready, act } of PICTURES) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, address);
    await page.locator(ready).first().waitFor();
    await act?.(page);
    await page.screenshot({ path: join(target, `console-${name}.png`) });
  }
  await browser.close();
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Creates example objects, as two field managers. */
async function fill(request, url, token) {
  const send = async (method, path, data, type = "application/json") => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
    const answer = await request.fetch(url + path, { method, headers, data: JSON.stringify(data) });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
  };
  await send("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  for (const name of ["opening-hours", "menu", "suppliers", "labels-de", "labels-en", "labels-fr"])
    await send("POST", `${SHOP}/configmaps`, { metadata: { name, labels: { app: "shop" } }, data: { text: name } });
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await send("POST", `${rbac}/namespaces/shop/rolebindings`, {
    metadata: { name: "cooks" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: ["ann", "ben"].map((name) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name })),
  });
  const apply = (manager, data) =>
    send(
      "PATCH",
      `${SHOP}/configmaps/prices?fieldManager=${manager}&force=true`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "prices", labels: { app: "shop" } }, data },
      "application/apply-patch+yaml",
    );
  await apply("gardener", { apples: "1.20", pears: "2.10" });
  await apply("grocer", { plums: "3.00", cherries: "7.50" });
  await apply("gardener", { apples: "1.40", pears: "2.10" });
}

async function untilWritten(file) {
  const begin = performance.now();
  for (;;) {
    try {
      const text = readFileSync(file, "utf8").trim();
      if (text !== "") return text;
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
    if (performance.now() - begin > 60_000) throw new Error(`${file} is not written: the server does not start`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
