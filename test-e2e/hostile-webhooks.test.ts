// The most expensive answers of admission webhooks: the server continues to serve others meanwhile. Delays are measured
// in the server and compared with a unit of work on this machine, so that its speed does not matter.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { AdmissionWebhooks, type Behaviour } from "./harness/admission-webhook";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { bodyMs } from "./harness/hostile/body-time";
import { LoopWatch } from "./harness/hostile/loop-delay";
import { MEBIBYTE, times } from "./harness/hostile/requests";
import { useWorkplace } from "./harness/processes";
import { accepts, patches, responding, reviewing, says } from "./harness/webhook-behaviours";
import { enforce, hooked } from "./harness/webhook-configurations";

/** Maximum event loop delay, as a multiple of the time to parse a body of 3 MiB. */
const BODIES_MAX = 4;
/** Number of repetitions; other load on the machine can only increase a delay. */
const ROUNDS = 4;
const MAPS = "/api/v1/namespaces/default/configmaps";

/** File for the figures. */
const { FIGURES } = process.env;

const workplace = useWorkplace();
const loop = new LoopWatch(workplace);
const figures: Record<string, object> = {};
let webhooks: AdmissionWebhooks;
let server: ApiServer;

beforeAll(async () => {
  const authority = new Authority(workplace);
  webhooks = await new AdmissionWebhooks(authority).start();
  server = await startApiServer(workplace, { authority, store: { kind: "embedded" }, env: loop.env });
  for (const kind of ["mutating", "validating"] as const) {
    const entries = [{ name: "one", clientConfig: webhooks.at(`/${kind}`), failurePolicy: "Fail" as const }];
    await enforce(server.admin, webhooks, { kind, name: kind, entries, paths: [`/${kind}`] });
  }
}, 60_000);
afterAll(async () => {
  await webhooks?.stop();
  if (FIGURES !== undefined) writeFileSync(FIGURES, JSON.stringify(figures, undefined, 1));
});

/** A review of approximately the given size. */
const around = (open: string, middle: string, close: string, bytes = 3 * MEBIBYTE): Behaviour => {
  const text = `${open}${middle.repeat(Math.floor(bytes / middle.length))}${close}`;
  return says(text);
};

const SMALL_OPERATIONS = times(100_000, (at) => ({ op: "add", path: `/data/k${at % 1000}`, value: "v" }));

const ANSWERS: readonly [string, Behaviour][] = [
  ["brackets alone", around("", "[", "")],
  ["lists in lists", says(`{"response":${"[".repeat(1.5 * MEBIBYTE)}${"]".repeat(1.5 * MEBIBYTE)}}`)],
  ["objects in objects", says(`{"response":${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}}`)],
  ["empty lists", around('{"response":{"x":[', "[],", "0]}}")],
  ["keys", around('{"response":{', '"":0,', '"":0}}')],
  ["different keys", says(`{"response":{${times(250_000, (at) => `"k${at}":0`).join()}}}`)],
  ["large numbers", around('{"response":{"x":[', "12345678901234567890,", "0]}}")],
  ["escapes", around('{"response":{"x":"', "\\u00e9", '"}}')],
  ["warnings", responding({ allowed: true, warnings: times(200_000, () => "w") })],
  ["a long warning", responding({ allowed: true, warnings: ["w".repeat(3 * MEBIBYTE)] })],
  [
    "annotations",
    responding({ allowed: true, auditAnnotations: Object.fromEntries(times(100_000, (at) => [`a${at}`, "x"])) }),
  ],
  ["a long reason", responding({ allowed: false, status: { message: "m".repeat(3 * MEBIBYTE) } })],
  [
    "causes",
    responding({
      allowed: false,
      status: { message: "m", details: { causes: times(100_000, () => ({ message: "c" })) } },
    }),
  ],
  ["a long version", reviewing(({ review }) => ({ ...review, apiVersion: "v".repeat(3 * MEBIBYTE), response: {} }))],
  ["a patch of 100,000 operations", patches(...SMALL_OPERATIONS)],
  ["a patch that is no base64", responding({ allowed: true, patchType: "JSONPatch", patch: "!".repeat(3 * MEBIBYTE) })],
  [
    "a patch that moves a list about",
    patches(
      { op: "add", path: "/metadata/finalizers", value: times(10_000, (at) => `example.com/f${at}`) },
      ...times(20_000, () => ({ op: "move", from: "/metadata/finalizers/0", path: "/metadata/finalizers/5000" })),
    ),
  ],
  [
    "a patch that doubles what is there",
    patches(
      { op: "add", path: "/data", value: { a: "x".repeat(1000) } },
      ...times(40, (at) => ({ op: "copy", from: "/data", path: `/data/k${at}` })),
    ),
  ],
  ["a patch with a long path", patches({ op: "add", path: "/a".repeat(1_000_000), value: 1 })],
  [
    "a patch of one deep value",
    patchText(`[{"op":"add","path":"/data","value":${"[".repeat(500_000)}${"]".repeat(500_000)}}]`),
  ],
  [
    "a patch that makes a large object",
    patches({ op: "add", path: "/data", value: Object.fromEntries(times(60_000, (at) => [`k${at}`, "v"])) }),
  ],
  [
    "pieces of one byte",
    (_call, reply) => {
      const text = `{"response":{"x":"${"y".repeat(200_000)}"}}`;
      let at = 0;
      const send = () => {
        while (at < text.length) {
          at += 1;
          if (!reply.write(text.slice(at - 1, at))) return void reply.once("drain", send);
        }
        reply.end();
      };
      send();
    },
  ],
];

function patchText(text: string): Behaviour {
  return responding({ allowed: true, patchType: "JSONPatch", patch: Buffer.from(text).toString("base64") });
}

test.each(ANSWERS)(
  "an answer of %s",
  async (what, behaviour) => {
    for (const kind of ["mutating", "validating"] as const) {
      webhooks.does(`/${kind}`, behaviour);
      const allowed = BODIES_MAX * bodyMs();
      const codes = new Set<number>();
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < ROUNDS && least > allowed; round += 1) {
        const delay = await loop.delay(async () => {
          codes.add((await ask(kind)).status);
        });
        least = Math.min(least, delay);
      }
      figures[`${what}, ${kind}`] = { delay: Math.round(least), allowed, codes: [...codes] };
      // Webhook and server work normally again.
      webhooks.does(`/${kind}`, accepts);
      expect((await ask(kind)).status).toBe(201);
      expect(least).toBeLessThan(allowed);
    }
    expect(await server.ready()).toBe(true);
  },
  300_000,
);

const ask = (kind: string) => server.admin.post(`${MAPS}?dryRun=All`, hooked(kind, "judged"), { timeoutMs: 120_000 });
