import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { changeConfiguration, type EditedConfiguration } from "./change-configuration";
import { loadConfiguration } from "./load-configuration";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "changes-"));
  path = join(folder, "config");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function changed(text: string, change: (file: EditedConfiguration) => void): Promise<string> {
  writeFileSync(path, text);
  await changeConfiguration(path, change);
  return readFileSync(path, "utf8");
}

const FILE = `# ours
apiVersion: v1
kind: Config
preferences: { colors: true } # unknown
clusters:
- name: c # the first
  cluster:
    server: https://old # moves soon
    certificate-authority: ca.crt
    future-field: 0o17
users: null
contexts: []
current-context: ''
`;

describe("a change", () => {
  test("keeps comments, unknown fields and the form of all that it does not name", async () => {
    const text = await changed(FILE, (file) => {
      file.setCluster("c", { server: "https://new", "tls-server-name": "api" });
      file.setUser("u", { token: "t", exec: undefined });
      file.setContext("x", { cluster: "c", user: "u" });
      file.setCurrentContext("x");
    });
    expect(text).toBe(`# ours
apiVersion: v1
kind: Config
preferences: { colors: true } # unknown
clusters:
- name: c # the first
  cluster:
    server: https://new
    certificate-authority: ca.crt
    future-field: 0o17
    tls-server-name: api
users:
- name: u
  user:
    token: t
contexts:
- name: x
  context:
    cluster: c
    user: u
current-context: x
`);
  });

  test("creates a file and its folder, readable by the owner alone", async () => {
    path = join(folder, "deep", "config");
    await changeConfiguration(path, (file) => file.setUser("u", { token: "t" }));
    expect(readFileSync(path, "utf8")).toBe("apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    token: t\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "deep"))).toEqual(["config"]);
  });

  test.each([
    "yes",
    "null",
    "0x1f",
    "22:22",
    "2020-01-02",
    "a: b",
    "a #b",
    "",
    "-",
    "ünï\n\ttwo ",
    '"',
    "a:",
    "1e3",
    "~",
    "=",
  ])("writes the text %j so that every version of YAML reads it", async (token) => {
    const text = await changed("", (file) => file.setUser(`${token}x`, { token, "as-groups": [token, "b"] }));
    expect(parse(text, { version: "1.1" })).toEqual(parse(text, { version: "1.2" }));
    expect(loadConfiguration({ path }).users.get(`${token}x`)).toEqual({ token, "as-groups": [token, "b"] });
  });

  test("removes fields and entries, and renames contexts", async () => {
    const text = await changed(
      FILE.replace("contexts: []", "contexts: [{ name: x, context: {} }]").replace("''", "x"),
      (file) => {
        file.setCluster("c", { "certificate-authority": undefined });
        expect(file.renameContext("x", "z9")).toBe(true);
        expect([file.renameContext("x", "z"), file.deleteUser("u"), file.deleteContext("z")]).toEqual([
          false,
          false,
          false,
        ]);
      },
    );
    expect(text).toContain("contexts: [ { name: z9, context: {} } ]\ncurrent-context: z9\n");
    expect(text).not.toContain("certificate-authority");
    await changeConfiguration(path, (file) => {
      file.deleteCluster("c");
      file.setCurrentContext(undefined);
    });
    expect(loadConfiguration({ path })).toMatchObject({ clusters: new Map(), currentContext: "" });
  });

  test("sets keys of an authentication provider, and keeps the others", async () => {
    const provider = "{ name: oidc, config: { id-token: old, client-id: me } }";
    await changed(`users: [{ name: u, user: { auth-provider: ${provider} } }]`, (file) =>
      file.setAuthProvider("u", { "id-token": "new", "refresh-token": "r", "client-secret": undefined }),
    );
    const config = { "id-token": "new", "client-id": "me", "refresh-token": "r" };
    expect(loadConfiguration({ path }).users.get("u")).toEqual({ "auth-provider": { name: "oidc", config } });
  });

  test("writes paths below the folder of the file relative to it", async () => {
    const text = await changed("", (file) => {
      file.setCluster("c", { "certificate-authority": join(folder, "pki/ca.crt") });
      file.setUser("u", { "client-key": "/elsewhere/key", tokenFile: "token" });
    });
    expect(text).toContain("certificate-authority: pki/ca.crt\n");
    expect(text).toContain("client-key: /elsewhere/key\n    tokenFile: token\n");
  });

  test("follows a symbolic link", async () => {
    const real = join(folder, "real");
    writeFileSync(real, FILE);
    symlinkSync(real, path);
    await changeConfiguration(path, (file) => file.setCurrentContext("other"));
    expect([lstatSync(path).isSymbolicLink(), readFileSync(real, "utf8").includes("current-context: other")]).toEqual([
      true,
      true,
    ]);
  });

  test("to a file in JSON leaves a file that is read like the former one", async () => {
    await changed(JSON.stringify({ users: [{ name: "a", user: { token: "1" } }] }), (file) =>
      file.setUser("b", { token: "2" }),
    );
    expect([...loadConfiguration({ path }).users]).toEqual([
      ["a", { token: "1" }],
      ["b", { token: "2" }],
    ]);
  });
});

describe("a file", () => {
  test("is unchanged and unlocked after an error", async () => {
    writeFileSync(path, FILE);
    const fail = () => {
      throw new Error("changed my mind");
    };
    await expect(changeConfiguration(path, fail)).rejects.toThrow("changed my mind");
    expect(readFileSync(path, "utf8")).toBe(FILE);
    writeFileSync(path, 'users: [{ name: u, user: { token: "secret }}]');
    const refused = changeConfiguration(path, () => {});
    await expect(refused).rejects.toThrow(path);
    await expect(refused).rejects.not.toThrow("secret");
    expect(readdirSync(folder)).toEqual(["config"]);
  });

  test("that stays locked is reported with the remedy", async () => {
    writeFileSync(`${path}.lock`, "");
    const change = changeConfiguration(path, (file) => file.setCurrentContext("x"), { waitMs: 100 });
    await expect(change).rejects.toThrow(`if no program is running, remove the stale lock ${path}.lock`);
    expect(existsSync(path)).toBe(false);
    const later = changeConfiguration(path, (file) => file.setCurrentContext("x"));
    rmSync(`${path}.lock`);
    await later;
    expect(readdirSync(folder)).toEqual(["config"]);
  });

  test("keeps all of many changes at a time", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `u${at}`);
    await Promise.all(names.map((name) => changeConfiguration(path, (file) => file.setUser(name, { token: name }))));
    expect([...loadConfiguration({ path }).users.keys()].sort()).toEqual([...names].sort());
  });
});
