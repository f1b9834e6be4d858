// A leader whose lease is lost ends before another process may lead, whatever its controllers wait for.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { section } from "@orch/machinery";
import { defineController } from "../framework/controller";
import { LeaderElectedControllers } from "./leader-elected-controllers";

const log = { info() {}, warn() {}, error() {} };
const LEASE = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";

let server: Server;
/** Requests are not answered any more, as by a machine that is cut off. */
let isSilent: boolean;

beforeEach(async () => {
  isSilent = false;
  let version = 0;
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      if (isSilent) return;
      const isLease = request.url?.startsWith(LEASE) === true;
      const answer = (code: number, object: object) => response.writeHead(code).end(JSON.stringify(object));
      if (isLease && (request.method === "POST" || request.method === "PUT")) {
        version += 1;
        const lease = JSON.parse(body);
        return answer(200, { ...lease, metadata: { ...lease.metadata, resourceVersion: `${version}` } });
      }
      if (request.url === "/version") return answer(200, { major: "1", minor: "23" });
      return answer(404, { kind: "Status", status: "Failure", code: 404, reason: "NotFound" });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test("a lost lease ends the work although a controller waits for a request that is not answered", async () => {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const stuck = defineController({
    name: "stuck",
    alias: "stuck-controller",
    does: "something",
    flags: section("Controllers", {}),
    run: () => {
      begin();
      return new Promise<void>(() => {});
    },
  });
  const led = new LeaderElectedControllers({
    vocabulary: "orch",
    log,
    connection: {
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      tls: {},
      credentials: {},
      namespace: "default",
    },
    controllers: [stuck],
    election: { durations: { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 200 } },
  });
  const ended = expect(led.run(new AbortController().signal)).rejects.toThrow("is no longer the leader");
  await begun;
  isSilent = true;
  await ended;
});
