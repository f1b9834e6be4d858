import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import type { CredentialSettings, ExecSettings } from "./connection-settings";
import { credentialsOf } from "./credentials";

let folder: string;
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
  clock = new ManualClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const credentials = (settings: CredentialSettings) =>
  credentialsOf(
    { server: "https://api", tls: { ca: { kind: "text", text: "PEM" } }, credentials: settings, namespace: "default" },
    { clock, environment: process.env },
  );

describe("a token file", () => {
  test("is read again when it is old, or when its token was refused, and a good token outlives the file", async () => {
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, " one \n");
    const subject = credentials({ tokenFile, token: "fallback" });
    expect(await subject.token()).toBe("one");
    writeFileSync(tokenFile, "two");
    expect(await subject.token()).toBe("one");
    await clock.pass(50_000);
    expect(await subject.token()).toBe("two");
    writeFileSync(tokenFile, "three");
    subject.rejected("two");
    expect(await subject.token()).toBe("three");
    rmSync(tokenFile);
    await clock.pass(50_000);
    expect(await subject.token()).toBe("three");
  });

  test("that was never there leaves the token beside it, and an empty one is an error", async () => {
    expect(await credentials({ tokenFile: join(folder, "none"), token: "fallback" }).token()).toBe("fallback");
    writeFileSync(join(folder, "empty"), "\n");
    await expect(credentials({ tokenFile: join(folder, "empty") }).token()).rejects.toThrow("is empty");
  });
});

const VERSION = "client.authentication.orch.io/v1";

/** Returns a command that counts its runs, stores its input and runs the given script. */
function command(prints: string, more: Partial<ExecSettings> = {}): ExecSettings {
  const path = join(folder, "plugin");
  const script = `#!/bin/sh
echo run >> ${folder}/runs
printf %s "$ORCH_EXEC_INFO" > ${folder}/info
test "$ORCH_EXEC_INFO" = "$KUBERNETES_EXEC_INFO" || exit 9
${prints}
`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return {
    userName: "u",
    command: path,
    args: ["arg"],
    env: [{ name: "EXTRA", value: "extra" }],
    apiVersion: VERSION,
    provideClusterInfo: false,
    interactiveMode: "Never",
    ...more,
  };
}

const printing = (status: object, apiVersion = VERSION) =>
  `cat <<'END'\n${JSON.stringify({ kind: "ExecCredential", apiVersion, status })}\nEND`;
const runs = () =>
  existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").split("\n").length - 1 : 0;

describe("a credential command", () => {
  test("is run once for all who ask, and again when what it gave has expired or was refused", async () => {
    const status = { token: "t", expirationTimestamp: "2030-01-01T00:10:00Z" };
    const subject = credentials({ exec: command(printing(status)) });
    expect(await Promise.all([subject.token(), subject.token(), subject.keyPair()])).toEqual(["t", "t", undefined]);
    expect(runs()).toBe(1);
    await clock.pass(599_000);
    await subject.token();
    expect(runs()).toBe(1);
    subject.rejected("an older one");
    await subject.token();
    expect(runs()).toBe(1);
    subject.rejected("t");
    await subject.token();
    expect(runs()).toBe(2);
    await clock.pass(1_000);
    await subject.token();
    expect(runs()).toBe(3);
  });

  test("gets its arguments, its variables and what it may know of the cluster", async () => {
    const exec = command(`echo '{"kind":"ExecCredential","apiVersion":"${VERSION}","status":{"token":"'$1$EXTRA'"}}'`, {
      provideClusterInfo: true,
      clusterConfig: { audience: "x" },
    });
    expect(await credentials({ exec }).token()).toBe("argextra");
    const info = readFileSync(join(folder, "info"), "utf8");
    expect(JSON.parse(info)).toEqual({
      kind: "ExecCredential",
      apiVersion: VERSION,
      spec: {
        interactive: false,
        cluster: {
          server: "https://api",
          "certificate-authority-data": Buffer.from("PEM").toString("base64"),
          config: { audience: "x" },
        },
      },
    });
    expect(info.endsWith("\n")).toBe(true);
  });

  test("does not run where there is a token", async () => {
    expect(await credentials({ token: "given", exec: command("exit 1") }).token()).toBe("given");
    expect(runs()).toBe(0);
  });

  test.each([
    ["fails", "exit 3", /failed with exit code 3/],
    ["prints no JSON", "echo secret-text", /it is not a JSON object/],
    [
      "speaks another version",
      printing({ token: "t" }, "client.authentication.orch.io/v1beta1"),
      /plugin returned version client/,
    ],
    ["gives nothing", printing({}), /didn't return a token or cert\/key pair/],
    ["gives half a pair", printing({ clientKeyData: "k" }), /only certificate or key, not both/],
    ["gives a broken pair", printing({ clientKeyData: "k", clientCertificateData: "c" }), /failed parsing client key/],
  ])("that %s is an error that says so", async (_how, prints, message) => {
    await expect(credentials({ exec: command(prints) }).token()).rejects.toThrow(message);
  });

  test("that is missing is named, with the hint how to get it", async () => {
    const exec = { ...command(""), command: "no-such-command-anywhere", installHint: "get it from the shop" };
    const { waiting } = clock;
    await expect(credentials({ exec }).token()).rejects.toThrow(
      "getting credentials: exec: executable no-such-command-anywhere not found\nget it from the shop",
    );
    expect(clock.waiting).toBe(waiting);
  });

  test("that needs a person is not run without one", async () => {
    const exec = command(printing({ token: "t" }), { interactiveMode: "Always" });
    const had = Object.getOwnPropertyDescriptor(process.stdin, "isTTY");
    Object.defineProperty(process.stdin, "isTTY", { value: false, configurable: true });
    try {
      await expect(credentials({ exec }).token()).rejects.toThrow("standard input is not a terminal");
    } finally {
      if (had === undefined) Reflect.deleteProperty(process.stdin, "isTTY");
      else Object.defineProperty(process.stdin, "isTTY", had);
    }
  });
});
