// Backups in a bucket of a local S3 server, and of a service that answers with anything.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openStore } from "@orch/store";
import { type LocalS3, startS3 } from "@orch/testing";
import { newS3Client } from "./s3-client";
import type { S3Options } from "./s3-options";
import { S3Target } from "./s3-target";

const folder = mkdtempSync(join(tmpdir(), "s3-"));
const never = new AbortController().signal;
const NAME = "orch-2026-05-07T12-00-00Z.backup";
const closing: (() => Promise<void> | void)[] = [];
let s3: LocalS3;

beforeAll(async () => {
  s3 = await startS3(folder);
  closing.push(() => s3.close());
});
afterAll(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true });
});

const options = (more: Partial<S3Options> = {}): S3Options => ({
  ...{ bucket: s3.bucket, prefix: "a/b/", endpoint: s3.endpoint, credentialsFile: s3.credentialsFile },
  isPathStyle: true,
  ...more,
});

async function backup(values: number, valueBytes: number): Promise<Buffer[]> {
  const store = await openStore({ kind: "memory" });
  for (let at = 0; at < values; at += 1)
    await store.txn({ compare: [], then: [{ kind: "put", key: `/k${at}`, value: Buffer.alloc(valueBytes, at) }] });
  const pieces: Buffer[] = [];
  for await (const piece of store.backup?.() ?? []) pieces.push(piece);
  await store.close();
  return pieces;
}

async function* sent(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

async function content(target: S3Target, name: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of target.read(name, never)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe("a bucket", () => {
  test.each([
    ["small", 3, 100],
    ["of several parts", 30, 500_000],
  ])("keeps a backup that is %s, which is read back whole", async (_size, values, valueBytes) => {
    const target = new S3Target(options());
    const pieces = await backup(values, valueBytes);
    const found = await target.write(NAME, sent(pieces), never);
    expect(found).toMatchObject({ kind: "embedded", objects: values });
    expect((await content(target, NAME)).equals(Buffer.concat(pieces))).toBe(true);
    expect(await target.names(never)).toEqual([NAME]);
    await target.remove(NAME, never);
    expect(await target.names(never)).toEqual([]);
    target.close();
  });

  test("lists only what is in its own folder", async () => {
    const target = new S3Target(options({ prefix: "many/" }));
    const client = newS3Client(options());
    const put = (Key: string) => client.send(new PutObjectCommand({ Bucket: "backups", Key, Body: "x" }));
    const names = Array.from({ length: 25 }, (_, at) => `n${String(at).padStart(4, "0")}`);
    await Promise.all([...names.map((each) => `many/${each}`), "many/deeper/x", "manyothers", "another/x"].map(put));
    expect(await target.names(never)).toEqual(names);
    client.destroy();
    target.close();
  });

  test("never keeps content that is not a whole backup", async () => {
    const target = new S3Target(options({ prefix: "bad/" }));
    const pieces = await backup(30, 500_000);
    const damaged = pieces.map((piece, at) => {
      if (at !== 20) return piece;
      const changed = Buffer.from(piece);
      changed.writeUInt8(changed.readUInt8(5000) ^ 1, 5000);
      return changed;
    });
    for (const [each, text] of [
      [damaged, /is damaged/],
      [pieces.slice(0, -1), /is not a complete backup/],
      [pieces.slice(0, 1), /is not a complete backup/],
    ] as const) {
      await expect(target.write(NAME, sent(each), never)).rejects.toThrow(text);
      expect(await target.names(never)).toEqual([]);
    }
    target.close();
  });

  test.each<[string, Partial<S3Options>, RegExp]>([
    ["does not exist", { bucket: "missing" }, /cannot write s3:\/\/missing\/a\/b\/\S+: NoSuchBucket/],
    ["cannot be reached", { endpoint: "http://127.0.0.1:1" }, /cannot write .*ECONNREFUSED/],
    ["has an authority file that is missing", { caFile: "/none" }, /ENOENT/],
  ])("that %s is told", async (_what, more, text) => {
    const act = async () => {
      const target = new S3Target(options(more));
      await target.write(NAME, sent(await backup(1, 1)), never).finally(() => target.close());
    };
    await expect(act()).rejects.toThrow(text);
  });

  test("refuses credentials that are wrong, and the message has none of them", async () => {
    const target = new S3Target(options({ credentialsFile: s3.wrongCredentialsFile }));
    const failure = (await target.write(NAME, sent(await backup(1, 1)), never).catch((error) => error)) as Error;
    expect(failure.message).toMatch(/InvalidAccessKeyId/);
    expect(failure.message).not.toMatch(/verysecret|OTHERID/);
    target.close();
  });
});

describe("a service", () => {
  /** Starts a service that answers each request with `act`. */
  async function service(act: (request: IncomingMessage, response: ServerResponse) => void) {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      request.resume();
      act(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { requests, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
  const xml = (response: ServerResponse, status: number, text: string) =>
    response.writeHead(status, { "content-type": "application/xml" }).end(text);

  test("that answers with an endless error is left after 64 KiB", async () => {
    let written = 0;
    const { endpoint: at } = await service((_, response) => {
      response.writeHead(400, { "content-type": "application/xml" });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "x"))) written += 65_536;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const target = new S3Target(options({ endpoint: at }));
    await expect(target.write(NAME, sent(await backup(1, 1)), never)).rejects.toThrow(
      /status 400 and more than 65536 bytes/,
    );
    expect(written).toBeLessThan(32 * 1024 * 1024);
    target.close();
  });

  test.each([
    ["no XML", "}{".repeat(100)],
    ["XML of another kind", "<html><body>Bad gateway</body></html>"],
    ["nested XML", "<a>".repeat(5_000)],
    ["XML with entities", '<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><Error><Code>&d;</Code></Error>'],
    ["control characters", "<Error><Code>A\u001b[2J</Code><Message>m\u0007\r\nlog line</Message></Error>"],
  ])("that answers errors with %s fails the backup", async (_what, text) => {
    const { endpoint: at } = await service((_, response) => xml(response, 403, text));
    const target = new S3Target(options({ endpoint: at }));
    const failure = (await target.write(NAME, sent(await backup(1, 1)), never).catch((error) => error)) as Error;
    expect(failure.name).toBe("BackupError");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be in it
    expect(failure.message).not.toMatch(/[\u0000-\u001f]/);
    expect(failure.message.length).toBeLessThan(500);
    target.close();
  });

  test("that fails in the middle of an upload is asked to forget its parts", async () => {
    const { requests, endpoint: at } = await service((request, response) => {
      if (request.method === "POST")
        xml(response, 200, "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>");
      else if (request.method === "DELETE") response.writeHead(204).end();
      else if (request.url?.includes("partNumber=1")) response.writeHead(200, { etag: '"1"' }).end();
      else xml(response, 403, "<Error><Code>QuotaExceeded</Code><Message>full</Message></Error>");
    });
    const target = new S3Target(options({ endpoint: at }));
    await expect(target.write(NAME, sent(await backup(30, 500_000)), never)).rejects.toThrow(/QuotaExceeded/);
    expect(requests.filter((each) => each.startsWith("DELETE"))).toEqual([
      expect.stringMatching(/^DELETE \/backups\/a\/b\/orch-\S+uploadId=u1/),
    ]);
    target.close();
  });

  test("that stops answering is left when the backup is ended, and forgets the parts", async () => {
    const stop = new AbortController();
    const { requests, endpoint: at } = await service((request, response) => {
      if (request.method === "POST")
        xml(response, 200, "<InitiateMultipartUploadResult><UploadId>u2</UploadId></InitiateMultipartUploadResult>");
      else if (request.method === "DELETE") response.writeHead(204).end();
      else stop.abort(new Error("ended"));
    });
    const target = new S3Target(options({ endpoint: at }));
    await expect(target.write(NAME, sent(await backup(30, 500_000)), stop.signal)).rejects.toThrow("ended");
    expect(requests.some((each) => each.startsWith("DELETE"))).toBe(true);
    target.close();
  });

  test("that gives back other content than it was given is found, and the object is removed", async () => {
    const pieces = await backup(3, 100);
    const other = Buffer.concat(await backup(3, 101));
    const { requests, endpoint: at } = await service((request, response) => {
      if (request.method === "GET") response.writeHead(200, { "content-length": other.length }).end(other);
      else response.writeHead(200, { etag: '"1"' }).end();
    });
    const target = new S3Target(options({ endpoint: at }));
    await expect(target.write(NAME, sent(pieces), never)).rejects.toThrow(/differs from the content sent/);
    expect(requests.at(-1)).toMatch(/^DELETE/);
    target.close();
  });

  test("that lists in pages is read to the end", async () => {
    const { requests, endpoint: at } = await service((request, response) => {
      const isLast = request.url?.includes("continuation-token=t1") === true;
      const more = isLast
        ? "false</IsTruncated>"
        : "true</IsTruncated><NextContinuationToken>t1</NextContinuationToken>";
      const key = isLast ? "two" : "one";
      xml(
        response,
        200,
        `<ListBucketResult><IsTruncated>${more}<Contents><Key>a/b/${key}</Key></Contents></ListBucketResult>`,
      );
    });
    const target = new S3Target(options({ endpoint: at }));
    expect(await target.names(never)).toEqual(["one", "two"]);
    expect(requests[0]).toMatch(/^GET \/backups\/?\?.*delimiter=%2F.*max-keys=500.*prefix=a%2Fb%2F/);
    target.close();
  });

  test("that lists without an end is not followed for ever", async () => {
    let page = 0;
    const { endpoint: at } = await service((_, response) => {
      page += 1;
      const keys = Array.from({ length: 5 }, (_, at) => `<Contents><Key>other/${page}-${at}</Key></Contents>`).join("");
      xml(
        response,
        200,
        `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t${page}</NextContinuationToken>${keys}</ListBucketResult>`,
      );
    });
    const target = new S3Target(options({ endpoint: at }));
    expect(await target.names(never)).toEqual([]);
    expect(page).toBeLessThan(200);
    target.close();
  });
});
