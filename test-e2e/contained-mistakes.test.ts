// An uncaught error that belongs to one client's connection ends that connection. Any other uncaught error ends the
// process, because its state is unknown.
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMapsPath } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { headers, PREFACE, requestFields, settings } from "./harness/http2-frames";
import { repository, useWorkplace } from "./harness/processes";
import { RawConnection } from "./harness/raw-connection";

const workplace = useWorkplace();
const BODY = JSON.stringify({ kind: "ConfigMap" });
let server: ApiServer;
let count = 0;

async function start(): Promise<void> {
  server = await startApiServer(workplace, {
    name: `apiserver-${count++}`,
    store: { kind: "memory" },
    env: { NODE_OPTIONS: `--require=${join(repository, "test-e2e/harness/faults.cjs")}` },
  });
}

async function ask(protocol: "http/1.1" | "h2", mistake: string): Promise<RawConnection> {
  const connection = await RawConnection.open({ port: server.port, protocol });
  const token = "Bearer admin-token";
  const path = configMapsPath();
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nX-Mistake: ${mistake}\r\n`;
  if (protocol === "http/1.1") connection.write(`${head}Content-Length: ${BODY.length}\r\n\r\n${BODY}`);
  else {
    const fields = requestFields("GET", path, [
      ["authorization", token],
      ["x-mistake", mistake],
    ]);
    connection.write(Buffer.concat([PREFACE, settings(), headers(1, fields)]));
  }
  return connection;
}

describe("made for a client", () => {
  let isRunning = false;
  beforeEach(async () => {
    if (!isRunning) await start();
    isRunning = true;
  });

  test.each([
    ["http/1.1", "data"],
    ["http/1.1", "end"],
    ["http/1.1", "tick"],
    ["h2", "end"],
    ["h2", "close"],
    ["h2", "tick"],
  ] as const)("over %s, in %s: its connection ends, and nothing else", async (protocol, mistake) => {
    const { pid } = server.program;
    const failures = async () => {
      const { body } = await server.admin.get("/metrics");
      return Number(/^apiserver_connection_failures_total\{place="uncaught"\} (\d+)/m.exec(body)?.[1] ?? 0);
    };
    const before = await failures();
    const other = await RawConnection.open({ port: server.port, protocol: "h2" });
    const connection = await ask(protocol, mistake);
    await connection.untilClosed();
    expect([server.program.running, server.program.pid, other.closed]).toEqual([true, pid, false]);
    other.destroy();
    await eventually("it is counted", async () => (await failures()) === before + 1);
    expect(server.program.logText()).toMatch(/"error":"a mistake".*"place":"uncaught"/);
  });
});

test.each(["timer", "promise"])(
  "outside of a request, in a %s: the process exits and logs the error",
  async (mistake) => {
    await start();
    const { program } = server;
    await ask("http/1.1", mistake);
    expect(await program.ended).toBe(1);
    expect(program.logText()).toMatch(/the process exits/);
    expect(program.logText()).toContain("a mistake");
  },
);
