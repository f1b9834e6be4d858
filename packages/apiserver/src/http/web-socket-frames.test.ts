import { expect, test } from "@jest/globals";
import { maskedFrame } from "../testing/web-socket-client";
import { messageFrame } from "./web-socket";
import { IncomingFrames } from "./web-socket-frames";

const PING = 9;
const CLOSE = 8;
const TEXT = 1;

function read(bytes: Buffer, step: number): string[] {
  const told: string[] = [];
  const frames = new IncomingFrames({
    ping: (payload) => told.push(`ping ${payload.toString()}`),
    close: () => told.push("close"),
  });
  for (let at = 0; at < bytes.length; at += step) frames.push(bytes.subarray(at, at + step));
  return told;
}

const said = Buffer.concat([
  maskedFrame(PING, Buffer.from("first")),
  maskedFrame(TEXT, Buffer.alloc(200, "x")),
  maskedFrame(TEXT, Buffer.alloc(70_000, "y")),
  maskedFrame(PING, Buffer.alloc(0)),
  maskedFrame(CLOSE, Buffer.from([3, 232])),
  maskedFrame(PING, Buffer.from("after the end")),
]);

test.each([1, 3, 1000, said.length])("pings and the end are found between messages, in pieces of %d bytes", (step) =>
  expect(read(said, step)).toEqual(["ping first", "ping ", "close"]),
);

test.each<[string, Buffer]>([
  ["an unmasked frame", messageFrame(TEXT, Buffer.from("hi"))],
  ["a control frame that is too long", maskedFrame(PING, Buffer.alloc(126))],
  ["what is no frame at all", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
])("%s ends it", (_what, bytes) => expect(read(bytes, 1000)).toEqual(["close"]));
