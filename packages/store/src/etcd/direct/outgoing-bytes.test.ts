import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { FRAME, frame, PAYLOAD_MAX_BYTES } from "./frames";
import { OutgoingBytes } from "./outgoing-bytes";

let server: Server;
let sender: Socket;
let receiver: Socket;

beforeEach(async () => {
  server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  sender = connect((server.address() as AddressInfo).port, "127.0.0.1");
  [[receiver]] = (await Promise.all([once(server, "connection"), once(sender, "connect")])) as [[Socket], unknown];
});

afterEach(() => {
  for (const socket of [sender, receiver]) socket.destroy();
  server.close();
});

async function received(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  receiver.on("data", (piece: Buffer) => pieces.push(piece));
  receiver.resume();
  sender.end();
  await once(receiver, "end");
  return Buffer.concat(pieces);
}

const filled = (length: number, value: number): Buffer => Buffer.alloc(length, value);

test("frames of one turn and of the next arrive in order, small and large", async () => {
  const out = new OutgoingBytes(sender);
  const payloads = [filled(3, 1), filled(PAYLOAD_MAX_BYTES, 2), filled(0, 3), filled(PAYLOAD_MAX_BYTES - 1, 4)];
  const expected: Buffer[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    for (const [index, payload] of payloads.entries()) {
      const stream = 1 + 2 * (turn * payloads.length + index);
      out.frame({ type: FRAME.data, flags: 0, stream }, payload);
      expected.push(frame(FRAME.data, 0, stream, payload));
    }
    out.push(filled(20, turn));
    expected.push(filled(20, turn));
    await nextTurn();
    await nextTurn();
  }
  expect((await received()).equals(Buffer.concat(expected))).toBe(true);
});

test("unsent bytes are not overwritten while the peer does not read", async () => {
  const out = new OutgoingBytes(sender);
  const expected: Buffer[] = [];
  for (let turn = 0; sender.writableLength < 512 * 1024; turn += 1) {
    const bytes = filled(8 * 1024, turn);
    out.push(bytes);
    expected.push(bytes);
    await nextTurn();
  }
  expect((await received()).equals(Buffer.concat(expected))).toBe(true);
});

test("a connection that is gone takes nothing, and nothing fails", async () => {
  const out = new OutgoingBytes(sender);
  sender.destroy();
  out.push(filled(10, 1));
  await nextTurn();
  expect(sender.bytesWritten).toBe(0);
});
