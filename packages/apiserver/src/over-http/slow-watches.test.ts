// Clients that open a watch and stop reading, over real sockets: their memory is bounded, and they are disconnected.
import type { ClientHttp2Stream } from "node:http2";
import { request } from "node:https";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap, openHttp2, WatchReader } from "../testing/api-client";

const OBJECT_BYTES = 400_000;
/** More than the window of recent changes holds. */
const CHANGES_TO_FALL_BEHIND = 60;
const STREAM_CANCELLED = 8;

let server: RunningServer;
let admin: ApiClient;
beforeEach(async () => {
  server = await startServer();
  admin = new ApiClient(server, server.admin);
});
afterEach(async () => {
  admin.close();
  await server.stop();
});

const large = (name: string, mark = "") => configMap(name, { filler: mark.padEnd(OBJECT_BYTES, "x") });

/** A watch that is not read after its headers. */
interface Unread {
  readonly body: Readable;
  close(): void;
}

function unreadOverHttp1(path: string): Promise<Unread> {
  return new Promise((resolve, reject) => {
    const { ca, admin: as } = server;
    const sent = request(server.url + path, { agent: false, ca, cert: as.certificate, key: as.key }, (body) => {
      resolve({ body, close: () => sent.destroy() });
    });
    sent.once("error", reject).end();
  });
}

async function unreadOverHttp2(path: string): Promise<Unread & { readonly stream: ClientHttp2Stream }> {
  const session = await openHttp2(server);
  const stream = session.request({ ":path": path });
  await new Promise((resolve) => stream.once("response", resolve));
  return { body: stream, stream, close: () => session.destroy() };
}

async function figure(metric: string): Promise<number> {
  const { text } = await admin.get("/metrics");
  const line = text.split("\n").find((each) => each.startsWith(`${metric}{group="",version="v1",kind="ConfigMap"} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

/** How an unread body ends when it is read at last. */
function ending(body: Readable): Promise<"whole" | "cut"> {
  return new Promise((resolve) => {
    const end = () => resolve(body.readableEnded ? "whole" : "cut");
    if (body.closed) end();
    body.on("error", () => resolve("cut"));
    body.on("close", end);
    body.resume();
  });
}

test.each([
  ["HTTP/1.1", unreadOverHttp1],
  ["HTTP/2", unreadOverHttp2],
])(
  "over %s a slow watch falls behind, is closed, and delays no other request",
  async (_protocol, open) => {
    for (let n = 0; n < 20; n += 1) await admin.post(CONFIG_MAPS, large(`there-${n}`));
    const unread = await open(`${CONFIG_MAPS}?watch=1&resourceVersion=0`);
    const reading = await admin.watch(`${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Dchanging`);
    await admin.post(CONFIG_MAPS, large("changing"));
    expect(await reading.take(1)).toEqual(["ADDED changing"]);
    for (let n = 0; n < CHANGES_TO_FALL_BEHIND; n += 1) {
      await admin.put(`${CONFIG_MAPS}/changing`, large("changing", String(n)));
      expect(await reading.take(1)).toEqual(["MODIFIED changing"]);
    }
    // The watch that is read remains; the other was not even sent its initial state.
    while ((await figure("apiserver_registered_watchers")) !== 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const handed = (await figure("apiserver_watch_events_total")) - (CHANGES_TO_FALL_BEHIND + 1);
    expect(handed).toBeGreaterThan(0);
    expect(handed).toBeLessThan(20);
    expect(await ending(unread.body)).toBe("cut");
    if ("stream" in unread) expect((unread.stream as ClientHttp2Stream).rstCode).toBe(STREAM_CANCELLED);
    expect((await admin.get("/metrics")).text).toMatch(
      /^apiserver_terminated_watchers_total\{resource="configmaps"\} 1$/m,
    );
    await admin.put(`${CONFIG_MAPS}/changing`, large("changing", "last"));
    expect(await reading.take(1)).toEqual(["MODIFIED changing"]);
    reading.close();
    unread.close();
  },
  60_000,
);

test("on one HTTP/2 connection an unread watch leaves the others their pace", async () => {
  for (let n = 0; n < 20; n += 1) await admin.post(CONFIG_MAPS, large(`there-${n}`));
  const session = await openHttp2(server);
  const open = async (query: string) => {
    const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=1${query}` });
    await new Promise((resolve) => stream.once("response", resolve));
    return stream;
  };
  for (let n = 0; n < 10; n += 1) await open("&resourceVersion=0");
  const stream = await open("&fieldSelector=metadata.name%3Dchanging");
  const reading = new WatchReader(stream, 200, () => stream.close());
  await admin.post(CONFIG_MAPS, large("changing"));
  expect(await reading.take(1)).toEqual(["ADDED changing"]);
  for (let n = 0; n < 10; n += 1) {
    await admin.put(`${CONFIG_MAPS}/changing`, large("changing", String(n)));
    expect(await reading.take(1)).toEqual(["MODIFIED changing"]);
  }
  expect(await figure("apiserver_registered_watchers")).toBe(11);
  session.destroy();
}, 60_000);
