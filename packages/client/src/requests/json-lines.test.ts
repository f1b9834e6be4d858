import { Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import { jsonLines } from "./json-lines";

const read = async (body: Readable): Promise<unknown[]> => {
  const documents: unknown[] = [];
  for await (const document of jsonLines(body)) documents.push(document);
  return documents;
};

test("documents are found in chunks that end anywhere", async () => {
  const chunks = ['{"a":', "1}", '\n\n{"b":2}\n{"c"', ':3}\n{"unfinished'].map((text) => Buffer.from(text));
  expect(await read(Readable.from(chunks))).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
});

test("a line that never ends is an error, and the rest of the stream is not read", async () => {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  let count = 0;
  const endless = function* () {
    for (; count < 1000; count += 1) yield chunk;
  };
  const body = Readable.from(endless());
  await expect(read(body)).rejects.toThrow(SyntaxError);
  expect(count).toBeLessThan(200);
  expect(body.destroyed).toBe(true);
});
