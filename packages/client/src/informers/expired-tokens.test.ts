// Informers whose token expires in the middle of a watch.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Http2ServerResponse } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { CredentialSettings } from "../connection/connection-settings";
import { builtInTypes } from "../discovery/built-in-types";
import { Client } from "../requests/client";
import { answer, LocalServer, TestAuthority } from "../testing/local-server";
import { InformerFactory } from "./informer-factory";

const { configMaps } = builtInTypes();
let authority: TestAuthority;
let server: LocalServer;
let folder: string;
/** Tokens that the server accepts. */
let valid: Set<string>;
/** Watches by the token that opened them. */
let watches: { readonly token: string; readonly from: string | null; readonly response: Http2ServerResponse }[];
let lists: number;

beforeAll(async () => {
  authority = new TestAuthority();
  folder = mkdtempSync(join(tmpdir(), "tokens-"));
  server = await new LocalServer(authority).listen();
  server.handler = (request, response) => {
    const token = String(request.headers["authorization"]).replace("Bearer ", "");
    const { searchParams } = new URL(request.url, "https://server");
    if (!valid.has(token)) {
      answer(response, 401, { kind: "Status", status: "Failure", code: 401, reason: "Unauthorized", message: "no" });
    } else if (searchParams.get("watch") === "true") {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("\n");
      watches.push({ token, from: searchParams.get("resourceVersion"), response });
    } else {
      lists += 1;
      answer(response, 200, { kind: "ConfigMapList", metadata: { resourceVersion: "5" }, items: [] });
    }
  };
});
afterEach(() => rmSync(join(folder, "token"), { force: true }));
afterAll(() => {
  server.stop();
  authority.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Prints the token of the file. */
function command(): CredentialSettings {
  const path = join(folder, "plugin");
  const apiVersion = "client.authentication.orch.io/v1";
  const start = JSON.stringify({ kind: "ExecCredential", apiVersion }).slice(0, -1);
  writeFileSync(path, `#!/bin/sh\necho '${start},"status":{"token":"'$(cat ${folder}/token)'"}}'\n`);
  chmodSync(path, 0o755);
  const exec = { userName: "u", command: path, args: [], env: [], apiVersion, provideClusterInfo: false } as const;
  return { exec: { ...exec, interactiveMode: "Never" } };
}

test.each([
  ["a command", command],
  ["a file", (): CredentialSettings => ({ tokenFile: join(folder, "token") })],
])(
  "an informer with a token of %s goes on with the next one, without a list",
  async (_of, credentials) => {
    [valid, watches, lists] = [new Set(["first"]), [], 0];
    writeFileSync(join(folder, "token"), "first");
    const client = new Client({ connection: server.connection(credentials()), program: "test" });
    const stop = new AbortController();
    const factory = new InformerFactory(client);
    const informer = factory.informer(configMaps);
    factory.start(stop.signal);
    await factory.synced(stop.signal);
    const added = (name: string, resourceVersion: string) =>
      `${JSON.stringify({ type: "ADDED", object: { metadata: { name, namespace: "a", resourceVersion } } })}\n`;
    const until = async (isReached: () => boolean) => {
      while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await until(() => watches.length === 1);
    watches[0]?.response.write(added("one", "6"));
    await until(() => informer.store.get("a/one") !== undefined);

    // The token expires, and the server ends the watch.
    valid = new Set(["second"]);
    writeFileSync(join(folder, "token"), "second");
    watches[0]?.response.end();
    await until(() => watches.length === 2);
    watches[1]?.response.write(added("two", "7"));
    await until(() => informer.store.get("a/two") !== undefined);
    expect(watches.map(({ token, from }) => [token, from])).toEqual([
      ["first", "5"],
      ["second", "6"],
    ]);
    expect([lists, readFileSync(join(folder, "token"), "utf8")]).toEqual([1, "second"]);
    stop.abort();
    client.close();
  },
  30_000,
);
