import { describe, expect, test } from "@jest/globals";
import { jsonLines } from "./json-lines";

function streamOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function valuesOf(...chunks: readonly Uint8Array[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of jsonLines(streamOf(...chunks))) values.push(value);
  return values;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a stream of JSON lines", () => {
  test("yields each line, and the last one without an end", async () => {
    expect(await valuesOf(bytes('{"a":1}\n{"a":2}\n\n{"a":3}'))).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  test("joins lines and characters that come byte by byte", async () => {
    const parts = [...bytes('{"text":"grün ✓"}\n["x"]\n')].map((byte) => Uint8Array.of(byte));
    expect(await valuesOf(...parts)).toEqual([{ text: "grün ✓" }, ["x"]]);
  });

  test("cancels the stream when the reader stops", async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes("1\n")),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const value of jsonLines(stream)) if (value === 1) break;
    expect(cancelled).toBe(true);
  });

  test("fails at a line that is not JSON", async () => {
    await expect(valuesOf(bytes("<html>\n"))).rejects.toThrow();
  });
});
