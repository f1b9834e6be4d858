import { expect, test } from "@jest/globals";
import { openStore, type StoreStatus } from "@orch/store";
import { PolledFigures } from "./polled-figures";
import { ServerMetrics } from "./server-metrics";

/** Polls a store with a given status, beside a watch cache that has reached a given revision. */
async function polled(status: StoreStatus, cache: { revision: number; synced: boolean; connected: boolean }) {
  const metrics = new ServerMetrics({ disabled: [], process: false, release: "1.36", showHidden: false, warn() {} });
  const store = await openStore({ kind: "memory" });
  store.status = async () => status;
  const clock = { now: 1000 };
  const figures = new PolledFigures({
    ...{ metrics, stores: [{ store, endpoint: "" }], storages: () => [], countEveryMs: 0, sizeEveryMs: 60_000 },
    cache: () => cache,
    elapsed: () => clock.now,
  });
  figures.start();
  await new Promise((resolve) => setImmediate(resolve));
  let at = 0;
  const value = async (series: string) => {
    at += 2000;
    const text = await metrics.render(at);
    return text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.split(" ")[1];
  };
  return { figures, clock, value };
}

test("the lag of the watch cache grows from the poll that found it behind, until it has reached that revision", async () => {
  const cache = { revision: 7, synced: true, connected: true };
  const { figures, clock, value } = await polled({ revision: 9, size: 1, alarms: [] }, cache);
  clock.now += 20_000;
  expect(await value("apiserver_watch_cache_lag_seconds")).toBe("20");
  cache.revision = 8;
  clock.now += 5_000;
  expect(await value("apiserver_watch_cache_lag_seconds")).toBe("25");
  cache.revision = 9;
  expect(await value("apiserver_watch_cache_lag_seconds")).toBe("0");
  figures.stop();
});

test("a watch cache that has lost the store, or reads it again, is not connected", async () => {
  const cache = { revision: 9, synced: true, connected: false };
  const { figures, value } = await polled({ revision: 9, size: 1, alarms: [] }, cache);
  expect(await value("apiserver_watch_cache_connected")).toBe("0");
  Object.assign(cache, { connected: true, synced: false });
  expect(await value("apiserver_watch_cache_connected")).toBe("0");
  cache.synced = true;
  expect(await value("apiserver_watch_cache_connected")).toBe("1");
  figures.stop();
});

test("alarms and the free room of the store are shown", async () => {
  const cache = { revision: 9, synced: true, connected: true };
  const { figures, value } = await polled({ revision: 9, size: 1, available: 42, alarms: ["NOSPACE"] }, cache);
  expect(await value('apiserver_storage_alarm{storage_cluster_id="etcd-0",alarm="NOSPACE"}')).toBe("1");
  expect(await value('apiserver_storage_alarm{storage_cluster_id="etcd-0",alarm="CORRUPT"}')).toBe("0");
  expect(await value('apiserver_storage_available_bytes{storage_cluster_id="etcd-0"}')).toBe("42");
  figures.stop();
});
