import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { expect, test } from "@jest/globals";
import { makeCertificate, systemClock } from "@orch/platform";
import { dial, tlsOptions } from "./dial";

const nowMs = Date.now();
const authority = (commonName: string, issuer?: ReturnType<typeof makeCertificate>) =>
  makeCertificate({ subject: { commonName }, usage: { kind: "authority" }, nowMs, ...(issuer && { issuer }) });

test("an authority that is trusted need not be self-signed", async () => {
  const root = authority("root");
  const middle = authority("middle", root);
  const { certificate, key } = makeCertificate({
    ...{ subject: { commonName: "server" }, usage: { kind: "server", names: ["127.0.0.1"] }, issuer: middle, nowMs },
  });
  const server = createServer({ cert: certificate, key }, (socket) => socket.on("error", () => {}));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const dialed = async (ca: string) => {
    const options = tlsOptions(url, {}, { ca, certificate: undefined, key: undefined }, { chance: () => 0 });
    const socket = await dial(options, [], { clock: systemClock, chance: () => 0 });
    socket.destroy();
    return socket.authorized;
  };
  try {
    expect(await dialed(middle.certificate)).toBe(true);
    await expect(dialed(authority("middle").certificate)).rejects.toThrow("cannot connect");
  } finally {
    server.close();
  }
});
