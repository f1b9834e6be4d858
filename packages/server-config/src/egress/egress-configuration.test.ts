// Decisions about files of an EgressSelectorConfiguration, with the rules of kube-apiserver.
import { expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { readEgress } from "./egress-configuration";

const vocabulary = vocabularyOf("kubernetes");
const KIND = "EgressSelectorConfiguration";
const API = "apiserver.k8s.io/v1beta1";

const http = { proxyProtocol: "HTTPConnect", transport: { tcp: { url: "http://127.0.0.1:8131" } } };
const tls = { clientCert: "c.crt", clientKey: "c.key", caBundle: "ca.crt", tlsServerName: "proxy" };
const tcp = (value: object) => ({ proxyProtocol: "HTTPConnect", transport: { tcp: value } });
const read = (egressSelections: unknown, apiVersion = API, release = "1.36") =>
  readEgress(JSON.stringify({ apiVersion, kind: KIND, egressSelections }), vocabulary, release);
const named = (connection: object, name = "cluster") => [{ name, connection }];

test("selections are read, with names in any case", async () => {
  const found = await read([
    { name: "Cluster", connection: http },
    { name: "etcd", connection: { proxyProtocol: "Direct" } },
    { name: "controlplane", connection: { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: "/p.sock" } } } },
  ]);
  expect([...found.keys()]).toEqual(["cluster", "etcd", "controlplane"]);
  expect(found.get("cluster")).toMatchObject({ kind: "tcp", url: new URL("http://127.0.0.1:8131") });
  expect(found.get("etcd")).toBeUndefined();
  expect(found.get("controlplane")).toEqual({ kind: "uds", path: "/p.sock" });
});

test("TLS settings are read", async () => {
  const found = await read(named(tcp({ url: "https://proxy.example:8132", tlsConfig: tls })));
  expect(found.get("cluster")).toMatchObject({
    tls: { ca: "ca.crt", certificate: "c.crt", key: "c.key", serverName: "proxy" },
  });
});

test("v1alpha1 has the former name master, and v1beta1 has not", async () => {
  const master = named({ proxyProtocol: "Direct" }, "master");
  expect((await read(master, "apiserver.k8s.io/v1alpha1")).has("controlplane")).toBe(true);
  await expect(read(master)).rejects.toThrow('egressSelections[0].name: Unsupported value: "master"');
});

test("a release rejects versions that it did not have", async () => {
  await expect(read([], API, "1.19")).rejects.toThrow("apiVersion: Unsupported value");
});

const AT = "egressSelections[0].connection";
test.each<[string, unknown, string]>([
  [
    "an unknown name",
    named({ proxyProtocol: "Direct" }, "node"),
    'egressSelections[0].name: Unsupported value: "node"',
  ],
  [
    "a repeated name",
    [...named({ proxyProtocol: "Direct" }), ...named({ proxyProtocol: "Direct" }, "CLUSTER")],
    'egressSelections[1].name: Duplicate value: "cluster"',
  ],
  ["no protocol", named({}), `${AT}.proxyProtocol: Unsupported value: ""`],
  [
    "the protocol GRPC",
    named({ proxyProtocol: "GRPC", transport: { uds: { udsName: "/a" } } }),
    `${AT}.proxyProtocol: Unsupported value: "GRPC": supported values: "Direct", "HTTPConnect"`,
  ],
  [
    "a transport of a direct connection",
    named({ ...http, proxyProtocol: "Direct" }),
    `${AT}.transport: Invalid value: "direct": config must be absent for direct connect`,
  ],
  [
    "no transport",
    named({ proxyProtocol: "HTTPConnect" }),
    `${AT}.transport: Required value: transport must be set for HTTPConnect`,
  ],
  [
    "neither TCP nor UDS",
    named({ proxyProtocol: "HTTPConnect", transport: {} }),
    `${AT}.transport.tcp: Required value: One of TCP or UDS must be set`,
  ],
  [
    "both TCP and UDS",
    named({ proxyProtocol: "HTTPConnect", transport: { ...http.transport, uds: { udsName: "/a" } } }),
    "TCP and UDS cannot both be set",
  ],
  ["no name of a socket", named({ proxyProtocol: "HTTPConnect", transport: { uds: {} } }), "must be present for UDS"],
  [
    "another scheme",
    named(tcp({ url: "socks5://user:secret@proxy:1" })),
    `${AT}.transport.tcp.url: Invalid value: "<omitted>": supported connection protocols are http:// and https://`,
  ],
  [
    "TLS with http",
    named(tcp({ url: "http://proxy:1", tlsConfig: tls })),
    "config must not be present when using HTTP",
  ],
  ["https without TLS", named(tcp({ url: "https://proxy:1" })), "TLSConfig must be present when using HTTPS"],
  ["no client certificate", named(tcp({ url: "https://p:1", tlsConfig: {} })), "Using TLS requires clientCert"],
  ["no client key", named(tcp({ url: "https://p:1", tlsConfig: { clientCert: "a" } })), "Using TLS requires clientKey"],
  ["an unknown field", named({ proxyProtocol: "Direct", proxy: "a" }), `${AT}.proxy: unknown field`],
])("%s is an error that names the field and the rule", async (_, selections, message) => {
  const error = await read(selections).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  expect(error).toContain(message);
  expect(error).not.toContain("secret");
});
