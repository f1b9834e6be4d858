// Proxied pages in a real browser cannot act in the place of the console.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { tool, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const PROXIED = "/api/v1/namespaces/default/pods/web/proxy/";
const OUTER = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

let server: ApiServer;
let pod: Server;
let browser: Browser;
/** Tabs of an administrator, whose browser has a client certificate. */
let visitor: BrowserContext;

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
  browser = await chromium.launch({ executablePath: tool("chromium"), args: ["--no-sandbox", "--disable-gpu"] });
  const { cert, key } = server.authority.issue("console-visitor", { groups: ["system:masters"] });
  visitor = await browser.newContext({
    ignoreHTTPSErrors: true,
    clientCertificates: [{ origin: server.url, certPath: cert, keyPath: key }],
  });
  visitor.setDefaultTimeout(30_000);
  pod = createServer((request, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "img-src *" });
    response.end(
      `<!doctype html><title>Pod</title><h1 id="said">${request.url}</h1><script>window.ran = true</script>`,
    );
  });
  if (OUTER === undefined) throw new Error("this machine has no address but its own: nothing can stand for a pod");
  await once(pod.listen(0, OUTER), "listening");
  const { port } = pod.address() as AddressInfo;
  const pods = "/api/v1/namespaces/default/pods";
  const spec = {
    nodeName: "near",
    containers: [{ name: "web", image: "example/web", ports: [{ containerPort: port }] }],
  };
  const made = JSON.parse((await server.admin.post(pods, { metadata: { name: "web" }, spec })).body);
  const status = { phase: "Running", podIP: OUTER, podIPs: [{ ip: OUTER }] };
  await server.admin.put(`${pods}/web/status`, { ...made, status });
}, 120_000);
afterAll(async () => {
  pod?.close();
  await browser?.close();
});

/** Runs a script in a page. @returns its result, or the name of the error that it ends with */
const tried = (page: Page, script: string): Promise<unknown> =>
  page.evaluate(`(async () => { try { return await (${script}); } catch (error) { return error.name; } })()`);

describe("a proxied page", () => {
  let page: Page;

  beforeAll(async () => {
    page = await visitor.newPage();
    const answer = await page.goto(`${server.url}${PROXIED}`);
    expect(answer?.status()).toBe(200);
    expect(await answer?.headerValues("content-security-policy")).toEqual([
      "img-src *",
      expect.stringMatching(/^sandbox allow-(?!.*allow-same-origin)/),
    ]);
  }, 60_000);

  test("runs its scripts, in an origin of its own", async () => {
    expect(await tried(page, "[window.ran, document.querySelector('#said').textContent, self.origin]")).toEqual([
      true,
      "/",
      "null",
    ]);
  });

  test("cannot read the API, with the visitor's certificate or without", async () => {
    for (const credentials of ["include", "same-origin", "omit"]) {
      const script = `fetch("/api/v1/secrets", { credentials: "${credentials}" }).then((answer) => answer.text())`;
      expect(await tried(page, script)).toBe("TypeError");
    }
    // The visitor can.
    const own = await visitor.newPage();
    await own.goto(`${server.url}/version`);
    expect(await tried(own, `fetch("/api/v1/secrets").then((answer) => answer.status)`)).toBe(200);
    await own.close();
  });

  test("cannot write by the API", async () => {
    const body = JSON.stringify({ metadata: { name: "forged" } });
    for (const type of ["", "text/plain"]) {
      const sent = `{ method: "POST", mode: "no-cors", credentials: "include", body: new Blob([${JSON.stringify(body)}], { type: "${type}" }) }`;
      await tried(page, `fetch("/api/v1/namespaces/default/configmaps", ${sent}).then(() => "sent")`);
    }
    expect((await server.admin.get("/api/v1/namespaces/default/configmaps/forged")).status).toBe(404);
    const own = await visitor.newPage();
    await own.goto(`${server.url}/version`);
    const written = `fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: ${JSON.stringify(body)}, headers: { "Content-Type": "application/json" } }).then((answer) => answer.status)`;
    expect(await tried(own, written)).toBe(201);
    await own.close();
  });

  test("cannot open a stream of the API", async () => {
    const opened = (where: string) => `new Promise((resolve) => {
      const socket = new WebSocket("${where}/api/v1/namespaces/default/configmaps?watch=true");
      socket.onopen = () => resolve("open");
      socket.onerror = () => resolve("refused");
    })`;
    // The proxied page has an origin that hides the host; browsers send the certificate of the visitor all the same.
    const address = server.url.replace("https", "wss");
    expect(await tried(page, opened(address))).toBe("refused");
    const own = await visitor.newPage();
    await own.goto(`${server.url}/version`);
    expect(await tried(own, opened(address))).toBe("open");
    await own.close();
  });

  test.each([
    "localStorage.length",
    "sessionStorage.length",
    "document.cookie",
    "indexedDB.databases()",
    "caches.keys()",
  ])("has no %s of the server's pages", async (script) => {
    expect(await tried(page, script)).toBe("SecurityError");
  });

  test("cannot take the token that the pages of the server share", async () => {
    const signedIn = await visitor.newPage();
    await signedIn.goto(`${server.url}/ui#token=admin-token`);
    await signedIn.waitForSelector(".bar .name");
    const listen = `(() => {
      window.heard = [];
      const channel = new BroadcastChannel("server-sign-in");
      channel.onmessage = ({ data }) => window.heard.push(data);
      channel.postMessage({ kind: "ask" });
      return true;
    })()`;
    expect(await tried(page, listen)).toBe(true);
    expect(await tried(page, `import("/docs/shared-sign-in.js")`)).toBe("TypeError");
    // A page of the server's origin that asks later gets it.
    const own = await visitor.newPage();
    await own.goto(`${server.url}/version`);
    await own.evaluate(listen);
    await own.waitForFunction("window.heard.some(({ token }) => token === 'admin-token')");
    expect(await page.evaluate("window.heard")).toEqual([]);
    await Promise.all([signedIn.close(), own.close()]);
  }, 60_000);

  test("cannot open the console, nor put it into a frame", async () => {
    expect(await tried(page, `window.open("/ui") === null`)).toBe(true);
    const framed = `new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.src = "/ui";
      frame.onload = () => { try { resolve(frame.contentWindow.document.title); } catch (error) { resolve(error.name); } };
      document.body.append(frame);
    })`;
    expect(await tried(page, framed)).toBe("SecurityError");
  });
});
