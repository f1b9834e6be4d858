// Concurrent lists in many pieces, some read slowly or aborted, share pooled memory: each arrives intact.
import { createHash } from "node:crypto";
import { request } from "node:https";
import type { Readable } from "node:stream";
import { beforeAll, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { type ApiClient, CONFIG_MAPS, configMap, openHttp2 } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const OBJECT_BYTES = 250_000;
/** Larger in total than all buffers between server and client. */
const OBJECTS = 40;
const OTHERS = 4;

let server: RunningServer;
let admin: ApiClient;
useServer((running) => ({ server, admin } = running));

beforeAll(async () => {
  for (let n = 0; n < OBJECTS + OTHERS; n += 1) {
    const of = n < OBJECTS ? "slow" : "other";
    const object = configMap(`${of}-${n}`, {});
    const filler = Buffer.alloc(OBJECT_BYTES, `${of} ${n} `).toString();
    Object.assign(object.metadata, { labels: { of }, annotations: { filler } });
    await admin.post(CONFIG_MAPS, object);
  }
  await settled();
});

/**
 * Waits for the writes of the server's own start, the status of its flow schemas. A later write would change the
 * resource version of the lists, and with it their bytes.
 */
async function settled(): Promise<void> {
  const conditions = async () => {
    const { items } = (await admin.get(`/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas`)).json;
    return items.map(({ status }) => (status as { conditions?: unknown[] } | undefined)?.conditions?.length ?? 0);
  };
  while ((await conditions()).includes(0)) await new Promise((resolve) => setTimeout(resolve, 20));
}

type Headers = Readonly<Record<string, string>>;

interface Unread {
  readonly body: Readable;
  close(): void;
}

function overHttp1(path: string, headers: Headers): Promise<Unread> {
  return new Promise((resolve, reject) => {
    const { ca, admin: as } = server;
    const options = { agent: false, ca, cert: as.certificate, key: as.key, headers };
    const sent = request(server.url + path, options, (body) => resolve({ body, close: () => sent.destroy() }));
    sent.once("error", reject).end();
  });
}

async function overHttp2(path: string, headers: Headers): Promise<Unread> {
  const session = await openHttp2(server);
  const stream = session.request({ ":path": path, ...headers });
  await new Promise((resolve) => stream.once("response", resolve));
  return { body: stream, close: () => session.destroy() };
}

async function hashOf(body: Readable): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of body) hash.update(bytes as Buffer);
  return hash.digest("hex");
}

const METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.orch.io";
const PROTOBUF = "application/vnd.orch.protobuf";
const SLOW = `${CONFIG_MAPS}?labelSelector=of%3Dslow`;
const OTHER = `${CONFIG_MAPS}?labelSelector=of%3Dother`;

test.each<[string, typeof overHttp1, Headers]>([
  ["JSON over HTTP/1.1", overHttp1, {}],
  ["JSON over HTTP/2", overHttp2, {}],
  ["compressed JSON over HTTP/1.1", overHttp1, { "accept-encoding": "gzip" }],
  ["protobuf over HTTP/1.1", overHttp1, { accept: PROTOBUF }],
  ["protobuf over HTTP/2", overHttp2, { accept: PROTOBUF }],
  ["metadata, whose length is not known before, over HTTP/1.1", overHttp1, { accept: METADATA }],
])(
  "%s, read slowly",
  async (_what, open, headers) => {
    const read = async (path: string) => {
      const { body, close } = await open(path, headers);
      const hash = await hashOf(body);
      close();
      return hash;
    };
    const expected = await read(SLOW);
    const slow = await open(SLOW, headers);
    const left = await open(SLOW, headers);
    const others = new Set([await read(OTHER), await read(OTHER)]);
    left.close();
    for (const hash of await Promise.all([read(OTHER), read(OTHER), read(OTHER)])) others.add(hash);
    expect(others.size).toBe(1);
    expect(await hashOf(slow.body)).toBe(expected);
    slow.close();
  },
  60_000,
);
