// The log line and audit event of a watch are complete although its request headers were released.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Logger, SILENT } from "@orch/observability";
import type { LogFields } from "@orch/platform";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, openHttp2 } from "../testing/api-client";

const PATH = `${CONFIG_MAPS}?watch=true&timeoutSeconds=1`;
const HEADERS = { "user-agent": "informer/1", "audit-id": "the-fifth", "x-of-no-use": "at all" };

let server: RunningServer;
let told: (fields: LogFields) => void;
let finished: Promise<LogFields>;
const logger: Logger = {
  ...SILENT,
  logsRequests: true,
  access: (_message, fields) => fields["verb"] === "watch" && fields["path"] === CONFIG_MAPS && told(fields),
};

beforeAll(async () => {
  server = await startServer({ logger });
});
beforeEach(() => {
  finished = new Promise((resolve) => {
    told = resolve;
  });
});
afterAll(async () => {
  await server.stop();
});

const LINE = { requestId: "the-fifth", method: "GET", userAgent: "informer/1", code: 200, client: "127.0.0.1" };

test("over HTTP/1.1, whose connection serves the next request", async () => {
  const client = new ApiClient(server, server.admin);
  const answer = await client.get(PATH, { headers: HEADERS });
  expect(answer).toMatchObject({ code: 200, headers: { "audit-id": "the-fifth" } });
  expect(await finished).toMatchObject(LINE);
  expect((await client.get(CONFIG_MAPS)).code).toBe(200);
  client.close();
});

test("over HTTP/2", async () => {
  const session = await openHttp2(server);
  const stream = session.request({ ":path": PATH, ...HEADERS }).resume();
  expect(await finished).toMatchObject(LINE);
  stream.close();
  session.close();
});
