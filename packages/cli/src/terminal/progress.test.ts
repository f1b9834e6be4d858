import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { processIo } from "../process/io";
import { Progress, progressLine } from "./progress";

test.each([
  [{ done: 0, total: 4, elapsedMs: 0 }, "[                        ]   0% 0/4 applying"],
  [{ done: 1, total: 4, elapsedMs: 1000 }, "[######                  ]  25% 1/4 applying, 3 s left"],
  [{ done: 4, total: 4, elapsedMs: 1000 }, "[########################] 100% 4/4 applying"],
])("the bar of %j", (of, line) => {
  expect(progressLine({ label: "applying", ...of })).toBe(line);
});

function written(isTTY: boolean): string {
  let now = 0;
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const io = { ...processIo(), environment: {}, stdout: new PassThrough(), stderr, now: () => now };
  const progress = new Progress(io, { label: "applying", total: 3 });
  for (let at = 0; at < 3; at += 1) {
    now += 1000;
    progress.advance();
    progress.write("line\n");
  }
  progress.end();
  return String(stderr.read() ?? "");
}

test("a bar is drawn and removed on a terminal, and nothing elsewhere", () => {
  const clear = "\r\u001b[K";
  const text = written(true);
  expect(text.startsWith(`${clear}[########                ]  33% 1/3 applying, 2 s left${clear}`)).toBe(true);
  expect(text.endsWith(clear)).toBe(true);
  expect(written(false)).toBe("");
});
