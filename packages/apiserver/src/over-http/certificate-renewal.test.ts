// Certificates that a server makes itself, as time passes.

import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, expect, test } from "@jest/globals";
import { type Logger, SILENT } from "@orch/observability";
import { ManualClock } from "@orch/testing";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";

const DAY_MS = 86_400_000;
let server: RunningServer;
afterEach(() => server.stop());

async function served(): Promise<{ readonly fingerprint: string; readonly start: number; readonly end: number }> {
  const socket: TLSSocket = connect({ host: "127.0.0.1", port: server.port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  return {
    fingerprint: certificate?.fingerprint256 ?? "",
    start: Date.parse(certificate?.validFrom ?? ""),
    end: Date.parse(certificate?.validTo ?? ""),
  };
}

test("new connections are shown a new one before the old one ends, and open ones go on", async () => {
  // Starts at the present, because the test's clients use the system clock.
  const clock = new ManualClock(Date.now());
  server = await startWithSeams({}, { clock });
  const admin = new ApiClient(server, server.admin);
  const watch = await admin.watch(`${CONFIG_MAPS}?watch=1`);
  // Opens one more connection, which stays open.
  expect((await admin.get(CONFIG_MAPS)).code).toBe(200);
  const first = await served();
  clock.leap(300 * DAY_MS);
  expect(await served()).toEqual(first);
  clock.leap(40 * DAY_MS);
  const second = await served();
  expect(second.fingerprint).not.toBe(first.fingerprint);
  expect(second.end).toBeGreaterThan(clock.now() + 300 * DAY_MS);
  expect((await admin.post(CONFIG_MAPS, configMap("after"))).code).toBe(201);
  expect(await watch.take(1)).toEqual(["ADDED after"]);
  watch.close();
  admin.close();
  clock.leap(400 * DAY_MS);
  expect((await served()).end).toBeGreaterThan(clock.now());
});

test.each([
  ["ahead by three hours", 3 * 3_600_000],
  ["behind by two years", -730 * DAY_MS],
])(
  "a server that started with its clock %s shows a valid one within seconds once the clock is right",
  async (_how, byMs) => {
    const clock = new ManualClock(Date.now());
    clock.step(byMs);
    server = await startWithSeams({}, { clock });
    const first = await served();
    clock.step(-byMs);
    clock.advance(15_000);
    const second = await served();
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(second.start).toBeLessThan(clock.now());
    expect(second.end).toBeGreaterThan(clock.now());
    const admin = new ApiClient(server, server.admin);
    expect((await admin.get(CONFIG_MAPS)).code).toBe(200);
    admin.close();
  },
);

test("a stopped server looks after them no longer", async () => {
  const clock = new ManualClock(Date.now());
  const lines: string[] = [];
  const logger: Logger = { ...SILENT, info: (line) => void lines.push(line), warn: (line) => void lines.push(line) };
  server = await startWithSeams({ logger }, { clock });
  await server.stop();
  lines.length = 0;
  clock.advance(1000 * DAY_MS);
  expect(lines).toEqual([]);
});
