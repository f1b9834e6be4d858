import { describe, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { type ApiClient, CONFIG_MAPS, configMap, http2Get, openHttp2, WatchReader } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let server: RunningServer;
let admin: ApiClient;

useServer((running) => ({ server, admin } = running));

async function versionNow(): Promise<string> {
  return (await admin.get(`${CONFIG_MAPS}?limit=1`)).json.metadata.resourceVersion;
}

describe("a watch over HTTP/1.1", () => {
  test("tells what is there, then every change, then ends when its time is up", async () => {
    await admin.post(CONFIG_MAPS, configMap("there"));
    const watch = await admin.watch(`${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
    expect(watch.code).toBe(200);
    expect(await watch.take(1)).toEqual(["ADDED there"]);
    await admin.put(`${CONFIG_MAPS}/there`, configMap("there", { a: "1" }));
    await admin.delete(`${CONFIG_MAPS}/there`);
    expect(await watch.take(2)).toEqual(["MODIFIED there", "DELETED there"]);
    expect(await watch.next()).toBeUndefined();
  });

  test("begins after the version that it names", async () => {
    const from = await versionNow();
    for (const name of ["first", "second", "third"]) await admin.post(CONFIG_MAPS, configMap(name));
    const watch = await admin.watch(`${CONFIG_MAPS}?watch=true&resourceVersion=${from}`);
    expect(await watch.take(3)).toEqual(["ADDED first", "ADDED second", "ADDED third"]);
    watch.close();
    for (const name of ["first", "second", "third"]) await admin.delete(`${CONFIG_MAPS}/${name}`);
  });

  test("a watch of one object sends its events, by path or by selector", async () => {
    const byPath = await admin.watch("/api/v1/watch/namespaces/default/configmaps/mine?resourceVersion=0");
    const bySelector = await admin.watch(`${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Dmine`);
    await admin.post(CONFIG_MAPS, configMap("other"));
    await admin.post(CONFIG_MAPS, configMap("mine"));
    expect(await byPath.take(1)).toEqual(["ADDED mine"]);
    expect(await bySelector.take(1)).toEqual(["ADDED mine"]);
    byPath.close();
    bySelector.close();
    for (const name of ["other", "mine"]) await admin.delete(`${CONFIG_MAPS}/${name}`);
  });

  test("streams a list when asked, and marks its end", async () => {
    await admin.post(CONFIG_MAPS, configMap("streamed"));
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await admin.watch(`${CONFIG_MAPS}?${query}`);
    expect(await watch.take(1)).toEqual(["ADDED streamed"]);
    const mark = await watch.next();
    expect(mark).toMatchObject({ type: "BOOKMARK", object: { kind: "ConfigMap" } });
    expect(mark?.object.metadata.annotations).toEqual({ "orch.io/initial-events-end": "true" });
    watch.close();
    await admin.delete(`${CONFIG_MAPS}/streamed`);
  });

  test("sends many events, some at once, each whole and in order", async () => {
    const watch = await admin.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${await versionNow()}`);
    const names = Array.from({ length: 40 }, (_, index) => `burst-${String(index).padStart(3, "0")}`);
    await Promise.all(names.map((name) => admin.post(CONFIG_MAPS, configMap(name, { filler: "é".repeat(2000) }))));
    const seen = await watch.take(40);
    expect([...seen].sort()).toEqual(names.map((name) => `ADDED ${name}`));
    watch.close();
    await admin.delete(CONFIG_MAPS);
  });
});

test("watches and requests share one HTTP/2 connection", async () => {
  const session = await openHttp2(server);
  const from = await versionNow();
  const streams = await Promise.all(
    [0, 1, 2].map(async () => {
      const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=1&resourceVersion=${from}` });
      const code = await new Promise<number>((resolve) => {
        stream.once("response", (headers) => resolve(Number(headers[":status"])));
      });
      return new WatchReader(stream, code, () => stream.close());
    }),
  );
  await admin.post(CONFIG_MAPS, configMap("shared"));
  for (const stream of streams) {
    expect(stream.code).toBe(200);
    expect(await stream.take(1)).toEqual(["ADDED shared"]);
  }
  const read = await http2Get(session, `${CONFIG_MAPS}/shared`);
  expect(read.code).toBe(200);
  expect(JSON.parse(read.text).metadata.name).toBe("shared");
  for (const stream of streams) stream.close();
  session.close();
  await admin.delete(`${CONFIG_MAPS}/shared`);
});

test("open watches and their events are counted", async () => {
  const watch = await admin.watch("/api/v1/secrets?watch=1");
  await admin.post("/api/v1/namespaces/default/secrets", { metadata: { name: "counted" } });
  expect(await watch.take(1)).toEqual(["ADDED counted"]);
  const { text } = await admin.get("/metrics");
  expect(text).toContain('apiserver_registered_watchers{group="",version="v1",kind="Secret"} 1');
  expect(text).toContain('apiserver_watch_events_total{group="",version="v1",kind="Secret"} 1');
  expect(text).toMatch(/apiserver_longrunning_gauge\{verb="WATCH",[^}]*resource="secrets"[^}]*\} 1\n/);
  watch.close();
});
