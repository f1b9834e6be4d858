// /ui: the files of the console, which anybody may load. Source: docs/install.md, "Console".
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const PAGE = "<!doctype html><title>Console</title>";
const SCRIPT = `export const words = ${JSON.stringify("many words ".repeat(100))};`;
const IMMUTABLE = "public, immutable, max-age=31536000";

const ISSUER = {
  "oidc-issuer-url": "https://issuer.invalid/realm",
  "oidc-client-id": "console",
  "console-oidc-client-id": "console",
};

type Which = "with" | "issuer" | "unbuilt" | "off";
const servers = new Map<Which, { readonly server: RunningServer; readonly anyone: ApiClient }>();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "orch-console-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, "assets/index-Ab12.js"), SCRIPT);
  writeFileSync(join(folder, "assets/index-Ab12.css"), "body { margin: 0 }");
  writeFileSync(join(folder, "icon.svg"), "<svg/>");
  writeFileSync(join(folder, "notes.txt"), "not a part of the page");
  for (const [which, flags, consoleFolder] of [
    ["with", {}, folder],
    ["issuer", ISSUER, folder],
    ["unbuilt", {}, join(folder, "missing")],
    ["off", { console: false }, folder],
  ] as const) {
    const server = await startWithSeams({ flags }, { consoleFolder });
    servers.set(which, { server, anyone: new ApiClient(server) });
  }
});
afterAll(async () => {
  for (const { server, anyone } of servers.values()) {
    anyone.close();
    await server.stop();
  }
  rmSync(folder, { recursive: true });
});

function ask(path: string, headers: Readonly<Record<string, string>> = {}, which: Which = "with", method = "GET") {
  return (servers.get(which) as { anyone: ApiClient }).anyone.ask(method, path, { headers });
}

describe("without authentication", () => {
  test.each(["/ui", "/ui/", "/ui/index.html", "/ui/core/v1/pods/default/one", "/ui/apps%2Fv1"])(
    "%s is the page, which is asked for anew each time",
    async (path) => {
      const { code, text, headers } = await ask(path, HTML);
      expect([code, text, headers["content-type"]]).toEqual([200, PAGE, "text/html; charset=utf-8"]);
      expect(headers["cache-control"]).toBe("no-cache, private");
      const again = await ask(path, { ...HTML, "if-none-match": String(headers.etag) });
      expect([again.code, again.text]).toEqual([304, ""]);
    },
  );

  test.each([
    ["/ui/assets/index-Ab12.js", "text/javascript; charset=utf-8", IMMUTABLE],
    ["/ui/assets/index-Ab12.css", "text/css; charset=utf-8", IMMUTABLE],
    ["/ui/icon.svg", "image/svg+xml", "no-cache, private"],
  ])("%s is a file", async (path, type, kept) => {
    const { code, headers } = await ask(path);
    expect([code, headers["content-type"], headers["cache-control"]]).toEqual([200, type, kept]);
  });

  test("a file is compressed for a client that takes gzip", async () => {
    const { bytes, headers } = await ask("/ui/assets/index-Ab12.js", { "accept-encoding": "gzip" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(bytes.length).toBeLessThan(SCRIPT.length / 2);
    expect(gunzipSync(bytes).toString()).toBe(SCRIPT);
  });

  test("HEAD is answered with the head of the file alone, to those who may send it", async () => {
    const { server } = servers.get("with") as { server: RunningServer };
    const admin = new ApiClient(server, server.admin);
    const { code, text, headers } = await admin.ask("HEAD", "/ui/assets/index-Ab12.js");
    admin.close();
    expect([code, text, headers["content-length"]]).toEqual([200, "", String(SCRIPT.length)]);
  });

  test("the configuration tells what server this is, and the address of the explorer", async () => {
    const { code, json, headers } = await ask("/ui/config.json");
    expect([code, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(json).toEqual({ vocabulary: "orch", version: expect.stringMatching(/^v1\./), explorer: "/docs" });
  });
});

test("a server with a client of the console tells its issuer, and lets the page ask it", async () => {
  const { json } = await ask("/ui/config.json", {}, "issuer");
  const oidc = { issuer: ISSUER["oidc-issuer-url"], clientId: "console", scopes: expect.arrayContaining(["openid"]) };
  expect(json).toMatchObject({ oidc });
  const { headers } = await ask("/ui", HTML, "issuer");
  expect(directivesOf(headers).get("connect-src")).toBe("'self' https://issuer.invalid");
});

describe("is not found:", () => {
  test.each([
    ["a path that a script asks for", "/ui/core/v1/pods", {}],
    ["a hashed file of another build", "/ui/assets/index-Zz99.js", HTML],
    ["a file of no kind that pages consist of", "/ui/notes.txt", {}],
    ["a folder", "/ui/assets", {}],
    ["a folder with a slash", "/ui/assets/", HTML],
    ["a path upwards", "/ui/assets/../../package.json", {}],
    ["an encoded path upwards", "/ui/..%2f..%2fpackage.json", {}],
    ["a name of a member of every object", "/ui/constructor", {}],
    ["a name with a zero byte", "/ui/index.html%00.js", {}],
  ])("%s", async (_what, path, headers) => {
    const { code } = await ask(path, headers);
    // Without credentials, a path outside /ui is forbidden.
    expect(code === 404 || code === 403).toBe(true);
  });

  test("everything, with words, when the build has no console", async () => {
    for (const path of ["/ui", "/ui/", "/ui/assets/index-Ab12.js"]) {
      const { code, json } = await ask(path, HTML, "unbuilt");
      expect([code, json.message]).toEqual([404, expect.stringContaining("this build of the server has no console")]);
    }
  });

  test("everything, when the console is switched off", async () => {
    for (const path of ["/ui", "/ui/", "/ui/config.json"]) expect((await ask(path, HTML, "off")).code).toBe(404);
  });
});

test.each<[Which, string]>([
  ["with", "/ui"],
  ["unbuilt", "/docs"],
  ["off", "/docs"],
])("a server %s console leads a browser from the bare address to %s", async (which, page) => {
  const { code, headers } = await ask("/", HTML, which);
  expect([code, headers.location]).toEqual([302, page]);
});

test("a write to the page is refused", async () => {
  const { code, headers } = await ask("/ui/index.html", {}, "with", "POST");
  expect([code, headers.allow]).toEqual([403, undefined]);
});

test.each(["/ui", "/docs"])("%s restricts what the browser does with it", async (path) => {
  const { headers } = await ask(path, HTML);
  const policy = directivesOf(headers);
  for (const [name, value] of [
    ["default-src", "'none'"],
    ["script-src", "'self'"],
    ["connect-src", "'self'"],
    ["base-uri", "'none'"],
    ["form-action", "'none'"],
    ["frame-ancestors", "'none'"],
  ])
    expect([name, policy.get(name as string)]).toEqual([name, value]);
  if (path === "/ui") expect(policy.get("style-src")).toBe("'self'");
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": expect.stringContaining("camera=()"),
  });
});

function directivesOf(headers: Answer["headers"]): ReadonlyMap<string, string> {
  const directives = String(headers["content-security-policy"]).split("; ");
  return new Map(directives.map((each) => [each.split(" ")[0] ?? "", each.slice(each.indexOf(" ") + 1)]));
}
