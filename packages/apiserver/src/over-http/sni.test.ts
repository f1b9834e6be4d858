// Serving certificates selected by server name: --tls-sni-cert-key.
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import type { RunningServer } from "../server/start-server";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const folder = mkdtempSync(join(tmpdir(), "sni-"));
afterAll(() => rmSync(folder, { recursive: true }));

function put(file: string, text: string): string {
  const path = join(folder, file);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

/** @returns `certificate,key` */
function putPair(file: string, commonName: string, names: readonly string[]): string {
  const pair = makeCertificate({ subject: { commonName }, usage: { kind: "server", names }, nowMs: Date.now() });
  return `${put(`${file}.crt`, pair.certificate)},${put(`${file}.key`, pair.key)}`;
}

let server: RunningServer;
let admin: ApiClient;
useServer(
  (running) => {
    server = running.server;
    admin = running.admin;
  },
  {
    flags: {
      "tls-sni-cert-key": [putPair("outer", "outer", ["api.example"]), `${putPair("inner", "inner", [])}:*.internal`],
    },
  },
);

/** @returns the common name of the presented certificate, and the negotiated protocol */
async function shownTo(servername: string | undefined, ALPNProtocols = ["h2", "http/1.1"]) {
  const tls = connect({
    port: server.port,
    host: "127.0.0.1",
    ALPNProtocols,
    rejectUnauthorized: false,
    cert: server.admin.certificate,
    key: server.admin.key,
    ...(servername === undefined ? {} : { servername }),
  });
  await once(tls, "secureConnect");
  const shown = [tls.getPeerCertificate().subject.CN, tls.alpnProtocol];
  tls.destroy();
  return shown;
}

test("each name is shown its certificate, on HTTP/2 and HTTP/1.1 alike, and any other the server's own", async () => {
  const own = (await shownTo(undefined))[0];
  expect(await shownTo("api.example")).toEqual(["outer", "h2"]);
  expect(await shownTo("api.example", ["http/1.1"])).toEqual(["outer", "http/1.1"]);
  expect(await shownTo("one.internal")).toEqual(["inner", "h2"]);
  expect(await shownTo("other.example")).toEqual([own, "h2"]);
  expect(["outer", "inner"]).not.toContain(own);
});

test("a certificate that has changed is shown to those who connect from then on", async () => {
  putPair("inner", "renewed", []);
  let shown: unknown;
  while (shown !== "renewed") {
    await new Promise((resolve) => setTimeout(resolve, 20));
    [shown] = await shownTo("one.internal");
  }
  expect(await shownTo("api.example")).toEqual(["outer", "h2"]);
  const counted = 'apiserver_configuration_reloads_total{option="tls-sni-cert-key",result="success"}';
  expect((await admin.get("/metrics")).text).toContain(counted);
});
