// The console with 50,000 objects and 100 changes a second: frames, memory, and rows that stay current.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ApiServer, startApiServer } from "../harness/api-server";
import { ConsolePage, startBrowser } from "../harness/console";
import { useWorkplace } from "../harness/processes";

const OBJECTS = 50_000;
const CHANGES_PER_SECOND = 100;
const AT_A_TIME = 16;
/** `CONSOLE_LOAD_SECONDS` shortens the run. */
const SECONDS = Number(process.env["CONSOLE_LOAD_SECONDS"] ?? 600);
const MAPS = "/api/v1/namespaces/load/configmaps";
const MERGE = { "content-type": "application/merge-patch+json" };

const workplace = useWorkplace();
let server: ApiServer;
let browser: Browser;

const change = (index: number, data: Readonly<Record<string, string>>) =>
  server.admin.send(`${MAPS}/${nameOf(index)}`, { method: "PATCH", headers: MERGE, body: JSON.stringify({ data }) });
const nameOf = (index: number) => `map-${String(index).padStart(5, "0")}`;

beforeAll(async () => {
  [server, browser] = await Promise.all([startApiServer(workplace, { store: { kind: "memory" } }), startBrowser()]);
  await server.admin.post("/api/v1/namespaces", { metadata: { name: "load" } });
  const indexes = Array(OBJECTS).keys();
  const create = async () => {
    for (const index of indexes) await server.admin.post(MAPS, { metadata: { name: nameOf(index) }, data: { a: "1" } });
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, create));
}, 600_000);
afterAll(async () => browser?.close());

interface Measure {
  readonly frames: number;
  readonly median: number;
  readonly slow: number;
  readonly elements: number;
  readonly heapMegabytes: number;
}

test(
  "a table of 50,000 objects is drawn without lag while they change, and its memory stays flat",
  async () => {
    const tab = await ConsolePage.open(browser, server.url, { viewport: { width: 1200, height: 800 } });
    await tab.signIn("admin-token");
    await tab.page.evaluate(RECORD_FRAMES);
    await tab.go("#/objects/core/v1/configmaps?ns=load");
    await tab.page.locator(".state", { hasText: "50,000 objects, live" }).waitFor({ timeout: 300_000 });
    const session = await tab.page.context().newCDPSession(tab.page);
    const measure = async (): Promise<Measure> => {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      const drawn = await tab.page.evaluate<Omit<Measure, "heapMegabytes">>(TAKE_FRAMES);
      return { ...drawn, heapMegabytes: Math.round(usedSize / 1e5) / 10 };
    };
    const loading = await measure();
    const parts: Measure[] = [];
    const sent = { count: 0 };
    for (let part = 0; part < 5; part += 1) {
      await changeFor(SECONDS / 5, sent, (step) => scroll(tab, step));
      parts.push(await measure());
    }
    console.log(JSON.stringify({ loading, parts, changes: sent.count }));
    // The newest state of the objects is shown: the last change gave the last object a second entry.
    await change(OBJECTS - 1, { b: "2" });
    await tab.page.getByRole("grid").focus();
    await tab.page.keyboard.press("End");
    await tab.page.locator(".row", { hasText: new RegExp(`${nameOf(OBJECTS - 1)}.*2`) }).waitFor();
    const [first, ...others] = parts;
    for (const each of others) {
      expect(each.heapMegabytes).toBeLessThan(1.25 * (first?.heapMegabytes ?? 0) + 10);
      expect(each.elements).toBeLessThan(1000);
      expect(each.median).toBeLessThan(50);
      expect(each.slow).toBeLessThan(300);
    }
    expect(tab.faults).toEqual([]);
    await tab.close();
  },
  (SECONDS + 600) * 1000,
);

/** Changes objects at the rate of the test, in steps of a tenth of a second. */
async function changeFor(
  seconds: number,
  sent: { count: number },
  each: (step: number) => Promise<void>,
): Promise<void> {
  const begin = performance.now();
  for (let step = 0; step < seconds * 10; step += 1) {
    const changes = Array.from({ length: CHANGES_PER_SECOND / 10 }, () => {
      sent.count += 1;
      return change((sent.count * 7919) % (OBJECTS - 1), { a: String(sent.count) });
    });
    await Promise.all([...changes, each(step)]);
    const early = begin + (step + 1) * 100 - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
  }
}

/** Scrolls through the table, so that the rows in view are new ones. */
async function scroll(tab: ConsolePage, step: number): Promise<void> {
  if (step % 10 === 0)
    await tab.page.evaluate(`document.querySelector(".grid").scrollTop = ${(step * 32 * 97) % 1_500_000}`);
}

const RECORD_FRAMES = `{
  window.frames_ = [];
  let last = performance.now();
  const note = () => {
    const now = performance.now();
    window.frames_.push(now - last);
    last = now;
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
}`;
/** Time of the median frame, and that which one frame of a hundred exceeds, in milliseconds. */
const TAKE_FRAMES = `(() => {
  const frames = window.frames_.splice(0).sort((one, other) => one - other);
  const at = (share) => Math.round(10 * (frames[Math.floor(frames.length * share)] ?? 0)) / 10;
  return { frames: frames.length, median: at(0.5), slow: at(0.99), elements: document.querySelectorAll("*").length };
})()`;
