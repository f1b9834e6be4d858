// Runs hostile inputs against one server. Delays are measured inside its process and compared with a unit of work on
// this machine, so that its speed does not matter.
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { inParallel } from "../config-maps";
import { Authority } from "../credentials";
import { sealing } from "../encryption-configuration";
import { eventually } from "../eventually";
import { useWorkplace } from "../processes";
import { hostileAuditLog } from "./audit-log";
import { bodyMs, leastBodyMs } from "./body-time";
import { conversionOf, gadgets, SERVED } from "./custom-bodies";
import { type HostileProgram, type HostileServer, startHostileServer } from "./hostile-server";
import { LoopWatch } from "./loop-delay";
import { gauges, SERVED_GAUGES } from "./ratcheted-bodies";
import type { HostileInput, HostileRequest } from "./requests";
import { MANY } from "./watched-bodies";

/** Maximum event loop delay, as a multiple of the time to parse a body of 3 MiB. */
const BODIES_MAX = 4;
/** All plugins that examine pods, besides the default ones. */
const PLUGINS = [
  ...["AlwaysPullImages", "ExtendedResourceToleration", "LimitPodHardAntiAffinityTopology", "PodNodeSelector"],
  "PodTolerationRestriction",
];
/** Number of repetitions; other load on the machine can only increase a delay. */
const ROUNDS = 4;

/** File for the figures, which also include half the input size. */
const { FIGURES } = process.env;

export interface HostileSuite {
  readonly program: HostileProgram;
  readonly inputs: readonly HostileInput[];
}

/** Defines the tests of a file. */
export function testHostileInputs({ program, inputs }: HostileSuite): void {
  const workplace = useWorkplace();
  const loop = new LoopWatch(workplace);
  const figures: Record<string, object> = {};
  let agent: Server;
  let server: HostileServer;

  beforeAll(async () => {
    const authority = new Authority(workplace);
    const serving = authority.issue("node-agent");
    agent = createServer({ cert: readFileSync(serving.cert), key: readFileSync(serving.key) }, (request, response) => {
      if (request.url === "/convert") void convert(request, response);
      else {
        response.setHeader("content-type", "text/html");
        response.end("<a ".repeat(Number(request.url?.slice(1)) / 3));
      }
    });
    agent.listen(0, "127.0.0.1");
    await once(agent, "listening");
    server = await startHostileServer(program, workplace, {
      authority,
      env: loop.env,
      flags: [
        "--vocabulary=kubernetes",
        "--authorization-mode=Node", // beside RBAC, which the harness asks for
        `--kubelet-certificate-authority=${serving.ca}`,
        `--enable-admission-plugins=${PLUGINS.join()}`,
        `--encryption-provider-config=${sealing(workplace, "configmaps")}`,
        ...hostileAuditLog(workplace),
      ],
    });
    const { port } = agent.address() as AddressInfo;
    await server.admin.post("/api/v1/nodes", {
      metadata: { name: "worker" },
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    });
    await send(
      gadgets({ url: `https://127.0.0.1:${port}/convert`, caBundle: readFileSync(serving.ca).toString("base64") }),
    );
    await send(gauges);
    for (const path of [SERVED, SERVED_GAUGES])
      await eventually(`${path} is served`, async () => (await server.admin.get(path)).status === 200);
    await inParallel(5000, 32, async (at) => {
      const metadata = { name: `account-${at}`, labels: { a: "1", b: "2", c: `${at}` } };
      await server.admin.post("/api/v1/namespaces/default/serviceaccounts", { metadata });
    });
    if (inputs.some(({ beside }) => beside !== undefined)) await makeMany(server);
  }, 240_000);

  afterAll(() => {
    agent?.close();
    if (FIGURES !== undefined) writeFileSync(FIGURES, JSON.stringify(figures, undefined, 1));
  });

  test.each(inputs.map((input) => [input.what, input] as const))(
    "%s",
    async (what, input) => {
      let least = await delayOf(input, input.size);
      // The present speed of the machine matters near the bound.
      let body = leastBodyMs();
      if (least.delay > (BODIES_MAX / 2) * body) body = bodyMs();
      for (let round = 1; round < ROUNDS && least.delay > BODIES_MAX * body; round += 1) {
        const next = await delayOf(input, input.size);
        if (next.delay < least.delay) least = next;
        body = bodyMs();
      }
      if (FIGURES !== undefined) {
        const half = (await delayOf(input, input.size / 2)).delay;
        figures[what] = { size: input.size, ...least, half, body };
      }
      expect(least.delay).toBeLessThan(BODIES_MAX * body);
      // The request was answered, and the server works as before.
      expect(least.status).toBeGreaterThanOrEqual(200);
      if (input.expects !== undefined) expect(least.status).toBe(input.expects);
      if (input.isOfAnother !== true) expect(least.status).not.toBe(500);
      expect(await server.ready()).toBe(true);
    },
    300_000,
  );

  async function delayOf(
    { before, request, beside, settled }: HostileInput,
    size: number,
  ): Promise<{ delay: number; status: number }> {
    for (const each of before?.(Math.floor(size)) ?? []) await send(each);
    const wanted = request(Math.floor(size));
    let status = 0;
    const delay = await loop.delay(async () => {
      const [answer] = await Promise.all([wanted, ...(beside?.(Math.floor(size)) ?? [])].map(send));
      status = answer?.status ?? 0;
      if (settled !== undefined) await send(settled);
    });
    return { delay: Math.round(delay), status };
  }

  const send = ({ path, ...options }: HostileRequest) => server.admin.send(path, options);
}

async function convert(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const piece of request) text += String(piece);
  response.end(conversionOf(JSON.parse(text)));
}

/** Creates the objects of the large lists. */
async function makeMany({ admin }: HostileServer): Promise<void> {
  await admin.post("/api/v1/namespaces", { metadata: { name: MANY.namespace } });
  await inParallel(MANY.count, 32, async (at) => {
    const data = { a: "some text", b: "lines\nof\ntext" };
    await admin.post(MANY.path, { metadata: { name: `map-${at}`, labels: { a: "b" } }, data });
  });
}
