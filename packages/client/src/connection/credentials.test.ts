import { X509Certificate } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type KeyAndCertificate, makeCertificate } from "@orch/platform";
import { ManualClock } from "@orch/testing";
import type { CredentialSettings, ExecSettings } from "./connection-settings";
import type { CredentialDeps } from "./credential-parts";
import { credentialsOf } from "./credentials";
import type { PluginMetrics } from "./plugin-metrics";
import { pluginPolicyOf } from "./plugin-policy";

let folder: string;
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "credentials-"));
  clock = new ManualClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const credentials = (settings: CredentialSettings, deps: Partial<CredentialDeps> = {}, server = "https://api") =>
  credentialsOf(
    {
      server,
      tls: { ca: { kind: "text", text: "PEM" } },
      credentials: settings,
      proxy: { kind: "url", url: "http://proxy" },
      disableCompression: true,
      namespace: "default",
    },
    { clock, environment: process.env, ...deps },
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

interface Preferences {
  readonly credentialPluginPolicy?: string;
  readonly credentialPluginAllowlist?: readonly { readonly command?: string; readonly name?: string }[];
}

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
    // The kind of the answer may be left out.
    const exec = command(`echo '{"apiVersion":"${VERSION}","status":{"token":"'$1$EXTRA'"}}'`, {
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
          "proxy-url": "http://proxy",
          "disable-compression": true,
          config: { audience: "x" },
        },
      },
    });
    expect(info.endsWith("\n")).toBe(true);
  });

  test("reports its calls, the verdicts of the policy, and the end and the age of its certificates", async () => {
    const told: unknown[] = [];
    const pluginMetrics: PluginMetrics = {
      judged: (verdict) => told.push(verdict),
      called: (status, code) => told.push([status, code]),
      expires: (atMs) => told.push(atMs),
      rotated: (seconds) => told.push(seconds),
    };
    const ask = (exec: ExecSettings, more: Partial<CredentialDeps> = {}) =>
      credentials({ exec }, { pluginMetrics, ...more }).keyPair();
    await expect(ask(command("exit 3"))).rejects.toThrow();
    await expect(ask({ ...command(""), command: "no-such-command-anywhere" })).rejects.toThrow();
    await expect(ask(command("echo text"))).rejects.toThrow();
    await expect(ask(command(""), { pluginPolicy: { kind: "DenyAll" } })).rejects.toThrow();
    const calls = [
      ["allowed", ["plugin_execution_error", 3]],
      ["allowed", ["plugin_not_found_error", 1]],
      ["allowed", ["client_internal_error", 1]],
      ["denied", ["client_internal_error", 1]],
    ];
    expect(told.splice(0)).toEqual(calls.flat());
    const nowMs = clock.now();
    const made = (ageMs: number) =>
      makeCertificate({ subject: { commonName: "ann" }, usage: { kind: "authority" }, nowMs: nowMs - ageMs });
    const file = join(folder, "credential.json");
    const give = ({ certificate, key }: KeyAndCertificate, more: object = {}) => {
      const status = { clientCertificateData: certificate, clientKeyData: key, ...more };
      writeFileSync(file, JSON.stringify({ kind: "ExecCredential", apiVersion: VERSION, status }));
    };
    const endOf = ({ certificate }: KeyAndCertificate) => Date.parse(new X509Certificate(certificate).validTo);
    const [first, second] = [made(86_400_000), made(0)];
    const subject = credentials({ exec: command(`cat ${file}`) }, { pluginMetrics });
    give(first, { expirationTimestamp: new Date(nowMs + 1000).toISOString() });
    await subject.keyPair();
    expect(told.splice(0)).toEqual(["allowed", ["no_error", 0], endOf(first)]);
    give(second);
    await clock.pass(1000);
    await subject.keyPair();
    const [, , age, end] = told.splice(0);
    expect([Math.round(Number(age) / 86_400), end]).toEqual([1, endOf(second)]);
  });

  test("does not run where there is a token or a password", async () => {
    expect(await credentials({ token: "given", exec: command("exit 1") }).token()).toBe("given");
    const password = { user: "me", password: "pass" };
    const subject = credentials({ password, exec: command("exit 1") });
    expect([await subject.token(), subject.basic]).toEqual([undefined, "Basic bWU6cGFzcw=="]);
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
      /^getting credentials: exec: executable no-such-command-anywhere not found\n(?:.*\n)+\nget it from the shop$/,
    );
    expect(clock.waiting).toBe(waiting);
  });

  async function onTerminal<Result>(isTerminal: boolean, act: () => Promise<Result>): Promise<Result> {
    const had = Object.getOwnPropertyDescriptor(process.stdin, "isTTY");
    Object.defineProperty(process.stdin, "isTTY", { value: isTerminal, configurable: true });
    try {
      return await act();
    } finally {
      if (had === undefined) Reflect.deleteProperty(process.stdin, "isTTY");
      else Object.defineProperty(process.stdin, "isTTY", had);
    }
  }

  test.each([
    ["Always", false, undefined, "exec plugin cannot support interactive mode: standard input is not a terminal"],
    ["Always", true, "a manifest", "interactive mode: standard input is unavailable: used by a manifest"],
    ["Always", true, undefined, true],
    ["IfAvailable", true, undefined, true],
    ["IfAvailable", true, "a manifest", false],
    ["IfAvailable", false, undefined, false],
    ["Never", true, undefined, false],
  ] as const)(
    "in mode %s on a terminal (%s), with the input used by %s: %s",
    async (mode, isTerminal, taken, outcome) => {
      // The output shows what the command was told. It does not read the input.
      const interactiveMode = mode;
      const exec = command(printing({ token: "t" }), { interactiveMode });
      const token = onTerminal(isTerminal, async () => credentials({ exec }, { stdinTakenBy: taken }).token());
      if (typeof outcome === "string") {
        await expect(token).rejects.toThrow(outcome);
        expect(runs()).toBe(0);
        return;
      }
      await token;
      expect(JSON.parse(readFileSync(join(folder, "info"), "utf8"))).toMatchObject({ spec: { interactive: outcome } });
    },
  );

  test.each<[Preferences, true | RegExp]>([
    [{}, true],
    [{ credentialPluginPolicy: "AllowAll" }, true],
    [
      { credentialPluginPolicy: "DenyAll" },
      /^getting credentials: plugin ".*plugin" not allowed: policy set to "DenyAll"$/,
    ],
    [{ credentialPluginPolicy: "Allowlist", credentialPluginAllowlist: [{ command: "FOLDER/plugin" }] }, true],
    [{ credentialPluginPolicy: "Allowlist", credentialPluginAllowlist: [{ name: "plugin" }] }, true],
    [
      {
        credentialPluginPolicy: "Allowlist",
        credentialPluginAllowlist: [{ command: "other" }, { command: "/x/plugin" }],
      },
      /plugin path ".*plugin" is not permitted by the credential plugin allowlist/,
    ],
    [
      { credentialPluginPolicy: "Some" },
      /credentialPluginPolicy must be one of AllowAll, DenyAll, Allowlist, not "Some"/,
    ],
    [{ credentialPluginPolicy: "Allowlist" }, /credentialPluginAllowlist must name a command/],
    [{ credentialPluginPolicy: "DenyAll", credentialPluginAllowlist: [] }, /must not be set when/],
    [
      { credentialPluginPolicy: "Allowlist", credentialPluginAllowlist: [{}] },
      /credentialPluginAllowlist\[0\]: command/,
    ],
  ])("with the preferences %j is %s", async (preferences, outcome) => {
    const exec = command(printing({ token: "t" }));
    const environment = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
    const list = preferences.credentialPluginAllowlist?.map((entry) =>
      entry.command === undefined ? entry : { command: entry.command.replace("FOLDER", folder) },
    );
    const named = { ...preferences, ...(list === undefined ? {} : { credentialPluginAllowlist: list }) };
    const token = (async () => credentials({ exec }, { pluginPolicy: pluginPolicyOf(named), environment }).token())();
    if (outcome === true) expect(await token).toBe("t");
    else await expect(token).rejects.toThrow(outcome);
    expect(runs()).toBe(outcome === true ? 1 : 0);
  });

  test("is run once for all clients whose commands and clusters are equal", async () => {
    const exec = command(printing({ token: "t" }));
    const other = { ...exec, env: [{ name: "EXTRA", value: "other" }] };
    await Promise.all([credentials({ exec }).token(), credentials({ exec: { ...exec } }).token()]);
    expect(runs()).toBe(1);
    await credentials({ exec: other }).token();
    expect(runs()).toBe(2);
    const named = { ...exec, provideClusterInfo: true };
    await Promise.all([credentials({ exec: named }).token(), credentials({ exec: named }, {}, "https://b").token()]);
    expect(runs()).toBe(4);
  });

  test("that stays missing is explained ten times an hour", async () => {
    const exec = { ...command(""), command: "no-such-command-anywhere", installHint: "get it" };
    const subject = credentials({ exec });
    const hints = async () => {
      const told = await (async () => subject.token())().catch(({ message }: Error) => message);
      return String(told).includes("get it");
    };
    const first = [];
    for (let each = 0; each < 12; each += 1) first.push(await hints());
    expect(first.filter(Boolean)).toHaveLength(10);
    await clock.pass(3_600_000);
    expect(await hints()).toBe(true);
  });
});
