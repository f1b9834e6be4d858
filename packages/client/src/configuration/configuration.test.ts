import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { inClusterConnection } from "./in-cluster";
import { loadConfiguration } from "./load-configuration";
import { loadConnection } from "./load-connection";
import { parseConfiguration } from "./parse-configuration";
import { resolveContext } from "./resolve-context";
import { configurationFor, writeConfiguration } from "./write-configuration";

const PEM = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "configuration-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const configuration = (cluster: string, user: string) => `
current-context: main
contexts: [{ name: main, context: { cluster: c, user: u, namespace: team } }]
clusters: [{ name: c, cluster: ${cluster} }]
users: [{ name: u, user: ${user} }]
`;
const resolved = (cluster: string, user = "{}") =>
  resolveContext(parseConfiguration(configuration(cluster, user), join(folder, "config")));

describe("a context", () => {
  test("names a server, a user and a namespace; paths are relative to their file", () => {
    const user = "{ client-certificate: pki/a.crt, client-key: /abs/a.key }";
    expect(
      resolved("{ server: https://api:6443/prefix/, certificate-authority: ca.crt, tls-server-name: other }", user),
    ).toEqual({
      server: "https://api:6443/prefix",
      namespace: "team",
      proxy: { kind: "environment" },
      tls: { ca: { kind: "file", path: join(folder, "ca.crt") }, serverName: "other" },
      credentials: {
        certificate: {
          certificate: { kind: "file", path: join(folder, "pki/a.crt") },
          key: { kind: "file", path: "/abs/a.key" },
        },
      },
    });
  });

  test("takes data before files, and a scheme from what is trusted", () => {
    const data = Buffer.from(PEM).toString("base64");
    const { server, tls } = resolved(
      `{ server: "api:1", certificate-authority: x, certificate-authority-data: ${data} }`,
    );
    expect([server, tls]).toEqual(["https://api:1", { ca: { kind: "text", text: PEM } }]);
    expect(resolved('{ server: "api:1" }').server).toBe("http://api:1");
  });

  test.each([
    ["a password and a token", "{ server: https://a }", "{ username: me, token: t }", /are mutually exclusive/],
    ["a removed provider", "{ server: https://a }", "{ auth-provider: { name: gcp } }", /"gcp" is not supported/],
    [
      "a provider without an issuer",
      "{ server: https://a }",
      "{ auth-provider: { name: oidc, config: { client-id: a } } }",
      /must provide idp-issuer-url/,
    ],
    [
      "a provider without TLS",
      "{ server: https://a }",
      "{ auth-provider: { name: oidc, config: { client-id: a, idp-issuer-url: http://idp } } }",
      /must be a URL with https/,
    ],
    ["a key without certificate", "{ server: https://a }", "{ client-key: k }", /must be set together/],
    [
      "trust and distrust at once",
      "{ server: https://a, certificate-authority: x, insecure-skip-tls-verify: true }",
      "{}",
      /mutually exclusive/,
    ],
    [
      "a proxy of another kind",
      "{ server: https://a, proxy-url: ftp://p }",
      "{}",
      /cluster "c": proxy-url: unsupported scheme "ftp", must be http, https, or socks5/,
    ],
    ["a proxy that is no URL", "{ server: https://a, proxy-url: 'p:p' }", "{}", /unsupported scheme "p"/],
    ["groups of nobody", "{ server: https://a }", "{ as-groups: [g] }", /require as/],
    ["data that is no PEM", "{ server: https://a, certificate-authority-data: AAAA }", "{}", /not PEM in base64/],
    ["a command without version", "{ server: https://a }", "{ exec: { command: x } }", /apiVersion must be one of/],
    [
      "a command of which is not known whether it asks people",
      "{ server: https://a }",
      "{ exec: { command: x, apiVersion: client.authentication.orch.io/v1 } }",
      /interactiveMode must be specified for u/,
    ],
  ])("with %s is refused", (_what, cluster, user, message) => {
    expect(() => resolved(cluster, user)).toThrow(message);
  });

  test.each([
    [{ context: "none" }, "context was not found for specified context: none"],
    [{ cluster: "none" }, 'no server found for cluster "none"'],
    [{ user: "none" }, 'auth info "none" does not exist'],
  ])("that is chosen with %j must be there", (choice, message) => {
    const parsed = parseConfiguration(configuration("{ server: https://a }", "{}"), "config");
    expect(() => resolveContext(parsed, choice)).toThrow(message);
  });
});

describe("several files", () => {
  test("are merged: of each name the first file wins, whole", () => {
    const first = file("first", "users: [{ name: u, user: { token: one } }]\ncurrent-context: ''");
    const second = file("second", configuration("{ server: https://two }", "{ token: two, as: somebody }"));
    const environment = { ORCHCONFIG: [first, "", join(folder, "missing"), second].join(":") };
    const merged = loadConfiguration({ environment });
    expect(merged.users.get("u")).toEqual({ token: "one" });
    expect(merged.currentContext).toBe("main");
    expect(loadConnection({ environment }).server).toBe("https://two");
  });

  test("come from the variable of the vocabulary, or the home", () => {
    const path = file("kube", configuration("{ server: https://three }", "{}"));
    expect(loadConnection({ vocabulary: "kubernetes", environment: { KUBECONFIG: path } }).server).toBe(
      "https://three",
    );
    expect(() => loadConnection({ environment: { HOME: folder } })).toThrow("no configuration has been provided");
  });

  test("one named must be there, and one that is broken is told without its secrets", () => {
    expect(() => loadConfiguration({ path: join(folder, "nowhere") })).toThrow("no such file");
    const broken = file("broken", 'users: [{ name: u, user: { token: "secret }}]');
    expect(() => loadConfiguration({ path: broken })).toThrow(broken);
    expect(() => loadConfiguration({ path: broken })).not.toThrow("secret");
    const twice = file("twice", "users: [{ name: u, user: {} }, { name: u, user: {} }]");
    expect(() => loadConfiguration({ path: twice })).toThrow("occurs twice");
  });

  test.each([
    ["a tag", "token: !SECRET"],
    ["a value that its tag does not allow", "token: !!int SECRET"],
    ["an alias", "token: *SECRET"],
    ["an anchor alone", "token: &a &SECRET x"],
    ["a key that is there twice", "SECRET: 1, SECRET: 2"],
    ["a text without an end", "token: 'SECRET"],
    ["a directive", "}}]\n%SECRET"],
    ["too many aliases", "a: &a [x,x,x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], SECRET: [*b,*b,*b,*b]"],
  ])("an error contains no text of the file: %s", (_what, user) => {
    const warned = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const path = file("wrong", `users:\n- name: u\n  user: { ${user} }`);
    let told = "";
    try {
      loadConfiguration({ path });
    } catch (error) {
      told = (error as Error).message;
    }
    expect(told).not.toContain("SECRET");
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  test.each([
    [
      "users:\n- name: u\n  user: { token: !!int SECRET }",
      /: line 3, column 18: the tag !!int does not allow this value$/,
    ],
    ["users: []\nusers: []\n", /: line 2, column 1: a key occurs twice$/],
    ["users: []\n---\nclusters: []\n", /: line 3, column 1: it must contain a single document$/],
  ])("%j is refused, with its place", (text, message) => {
    expect(() => loadConfiguration({ path: file("misplaced", text) })).toThrow(message);
  });

  test("are read by the rules that the server reads YAML by", () => {
    const path = file("plain", configuration("{ server: https://a }", "{ token: 2020-01-02, as: 22:22 }"));
    expect(loadConfiguration({ path }).users.get("u")).toEqual({ token: "2020-01-02", as: "22:22" });
  });
});

test("a written configuration can be read, and the rest of the file is unchanged", () => {
  const path = file(
    "written",
    configuration("{ server: https://old, certificate-authority: ca.crt }", "{ token: old }"),
  );
  writeConfiguration(path, configurationFor({ name: "new", server: "https://new", ca: PEM, user: { token: "t" } }));
  const read = loadConfiguration({ path });
  expect(read.currentContext).toBe("new");
  expect(read.clusters.get("c")).toEqual({ server: "https://old", "certificate-authority": join(folder, "ca.crt") });
  expect(resolveContext(read)).toEqual({
    server: "https://new",
    namespace: "default",
    proxy: { kind: "environment" },
    tls: { ca: { kind: "text", text: PEM } },
    credentials: { token: "t" },
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a program inside the cluster connects as its service account", () => {
  file("token", "service-token");
  file("ca.crt", PEM);
  file("namespace", "team\n");
  const environment = { ORCH_SERVICE_HOST: "fd00::1", ORCH_SERVICE_PORT: "443" };
  expect(inClusterConnection({ environment, folder })).toEqual({
    server: "https://[fd00::1]:443",
    namespace: "team",
    tls: { ca: { kind: "file", path: join(folder, "ca.crt") } },
    credentials: { tokenFile: join(folder, "token") },
  });
  expect(inClusterConnection({ environment: {}, folder })).toBeUndefined();
});
