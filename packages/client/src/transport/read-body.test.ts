import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { withConnectionErrors } from "./read-body";

test("a body that is passed on is whole, or fails with a ConnectionError when it is cut off", async () => {
  const whole = new PassThrough();
  whole.end("line\n");
  expect(await text(withConnectionErrors(whole))).toBe("line\n");
  for (const end of [
    (body: PassThrough) => body.destroy(Object.assign(new Error("aborted"), { code: "ECONNRESET" })),
    (body: PassThrough) => body.destroy(),
    (body: PassThrough) => Object.assign(body, { aborted: true }).end(),
  ]) {
    const body = new PassThrough();
    body.write("li");
    const passed = text(withConnectionErrors(body));
    setImmediate(end, body);
    await expect(passed).rejects.toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("lost before the answer"),
    });
  }
});

test("a body whose reader is interrupted fails with the reason of the interruption", async () => {
  const body = new PassThrough();
  const interruption = new AbortController();
  const passed = text(withConnectionErrors(body, interruption.signal));
  interruption.abort(new Error("interrupted"));
  body.destroy(new Error("aborted"));
  await expect(passed).rejects.toThrow("interrupted");
});
