import { MessageChannel } from "node:worker_threads";
import { expect, test } from "@jest/globals";
import { PortPeer } from "./port-peer";

interface There {
  double(argument: number | object): Promise<number>;
}

test("a call whose argument cannot be sent fails at once and is not kept", async () => {
  const { port1, port2 } = new MessageChannel();
  const sent: unknown[] = [];
  const port = {
    postMessage(message: unknown) {
      port1.postMessage(message);
      sent.push(message);
    },
  };
  const peer = new PortPeer<There>(port, {});
  const given = new AbortController();
  const notToSend = { read: () => 1 };
  await expect(peer.call("double", notToSend, { signal: given.signal })).rejects.toMatchObject({
    name: "DataCloneError",
  });
  expect(peer.pending).toBe(0);
  given.abort();
  expect(sent).toEqual([]);
  const good = peer.call("double", 2);
  expect(peer.pending).toBe(1);
  peer.receive({ kind: "result", id: 2, value: 4 });
  expect(await good).toBe(4);
  port1.close();
  port2.close();
});
