import { expect, test } from "@jest/globals";
import { parseFlags } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { withDependentDefaults } from "./dependent-defaults";
import { SettingsError, settingsOf } from "./settings";

const configOf = (...words: string[]): ServerConfig => {
  const { config, given } = parseFlags(SERVER_FLAGS, words);
  return withDependentDefaults(config as ServerConfig, given);
};
const settings = (...words: string[]) => settingsOf(configOf(...words), vocabularyOf("orch"));

test("the store is etcd where its servers are named, else one of the server's own", () => {
  expect(settings().store).toBe("embedded");
  expect(settings("--etcd-servers=http://127.0.0.1:2379").store).toBe("etcd");
  expect(settings("--store=memory").store).toBe("memory");
});

test.each([
  [[], "127.0.0.1", ["RBAC"]],
  [["--enable-bootstrap-token-auth"], "127.0.0.1", ["Node", "RBAC"]],
  [["--enable-bootstrap-token-auth", "--authorization-mode=RBAC"], "127.0.0.1", ["RBAC"]],
  [["--bind-address=0.0.0.0"], "0.0.0.0", ["RBAC"]],
  [["--bind-address="], "", ["RBAC"]],
  [["--advertise-address=192.0.2.1"], "0.0.0.0", ["RBAC"]],
  [["--external-hostname=api.example"], "0.0.0.0", ["RBAC"]],
  [["--tls-cert-file=a", "--tls-private-key-file=b"], "0.0.0.0", ["RBAC"]],
  [["--tls-sni-cert-key=a,b"], "0.0.0.0", ["RBAC"]],
  [["--tls-cert-file=a", "--tls-private-key-file=b", "--bind-address=127.0.0.1"], "127.0.0.1", ["RBAC"]],
])("%j: listens on %j, authorizes by %j", (words, address, modes) => {
  expect(configOf(...words)["bind-address"]).toBe(address);
  expect(settings(...words).modes).toEqual(modes);
});

test("anonymous requests are refused beside AlwaysAllow, with a warning", () => {
  const open = settings("--authorization-mode=AlwaysAllow");
  expect(open).toMatchObject({ anonymous: false, warnings: [expect.stringContaining("AlwaysAllow")] });
  expect(settings("--authorization-mode=RBAC")).toMatchObject({ anonymous: true, warnings: [] });
});

test.each([
  [["--service-account-max-token-expiration=2h"], "the lifetime of pod tokens, one year"],
  [["--service-account-max-token-expiration=1h"], undefined], // An extension is not even requested with this maximum
  [["--service-account-max-token-expiration=2h", "--service-account-extend-token-expiration=false"], undefined],
  [
    [
      "--emulated-release=1.26",
      "--feature-gates=LegacyServiceAccountTokenTracking=true",
      "--service-account-lookup=false",
    ],
    "are not tracked",
  ],
])("%j logs a warning when one flag overrides another", (words, warning) => {
  const { warnings } = settings("--authorization-mode=RBAC", ...words);
  expect(warnings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
});

test.each([
  [["--workers=2"], "--workers=2 with --store=embedded"],
  [["--workers=auto", "--store=memory"], "--workers=auto with --store=memory"],
  [["--workers=0"], '--workers: "0" must be a number from 1 to 64'],
  [["--workers=many"], '--workers: "many"'],
  [["--workers=auto", "--etcd-servers=http://127.0.0.1:2379"], undefined],
  [["--workers=1"], undefined],
])("worker settings %j: %s", (words, problem) => {
  if (problem === undefined) settings(...words);
  else expect(() => settings(...words)).toThrow(problem);
});

test.each([
  ["/events#https://a:2379", undefined],
  ["/events#https://b:2379", undefined],
  ["apps/deployments#https://a:2379;https://b:2379", undefined],
  ["events#https://a:2379", "is not group/resource#url;url"],
  ["/events", "is not group/resource#url;url"],
  ["/events#b:2379", "which is not a URL such as https://host:2379"],
  ["/events#https://b:2379,/events#https://c:2379", "contains /events twice"],
])("an override of the store for one resource: %s", (text, problem) => {
  const words = ["--etcd-servers=https://a:2379", `--etcd-servers-overrides=${text}`];
  if (problem === undefined) settings(...words);
  else expect(() => settings(...words)).toThrow(problem);
});

test("overrides of the store have no meaning without etcd", () => {
  expect(() => settings("--store=memory", "--etcd-servers-overrides=/events#https://b:2379")).toThrow(
    "--etcd-servers-overrides requires --store=etcd, not --store=memory",
  );
});

test("everything that is wrong is told at once", () => {
  const wrong = [
    "--authorization-mode=RBAC,RBAC",
    "--tls-cert-file=a",
    "--etcd-keyfile=b",
    "--store=etcd",
    "--etcd-prefix=registry/",
    "--runtime-config=nothing/v1",
    "--feature-gates=Nothing=true",
    "--enable-admission-plugins=Nothing",
    "--tls-cipher-suites=NOTHING",
    "--cors-allowed-origins=(",
    "--show-hidden-metrics-for-version=1.2",
    "--service-account-issuer=https:no-url:x y",
    "--service-account-jwks-uri=http://keys.example",
    "--service-account-max-token-expiration=30m",
  ];
  try {
    settings(...wrong);
    expect("accepted").toBe("refused");
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as SettingsError).lines).toHaveLength(wrong.length);
  }
});

test.each<[string, { first: number; last: number } | undefined]>([
  ["30000-32767", { first: 30_000, last: 32_767 }],
  ["30000+10", { first: 30_000, last: 30_010 }],
  ["30000", { first: 30_000, last: 30_000 }],
  ["32767-30000", undefined],
  ["65530+10", undefined],
])("the range of node ports %s", (text, nodePorts) => {
  const read = () => settings(`--service-node-port-range=${text}`).serviceRanges.nodePorts;
  if (nodePorts === undefined) expect(read).toThrow("--service-node-port-range");
  else expect(read()).toEqual(nodePorts);
});

test("priority and fairness are on where the release has them, and need something to share out", () => {
  const nothing = ["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"];
  expect(settings().fairness).toBe(true);
  expect(settings("--emulated-release=1.19").fairness).toBe(false);
  expect(settings("--feature-gates=APIPriorityAndFairness=false").fairness).toBe(false);
  expect(settings("--enable-priority-and-fairness=false", ...nothing).fairness).toBe(false);
  expect(() => settings(...nothing)).toThrow(/their sum must be greater than 0 with --enable-priority-and-fairness/);
});

test("priority and fairness need objects that can be seen", () => {
  const group = "flowcontrol.apiserver.orch.io";
  const off = (...versions: string[]) =>
    `--runtime-config=${versions.map((version) => `${group}/${version}=false`).join()}`;
  expect(() => settings("--emulated-release=1.20", off("v1beta1"))).toThrow(/^--runtime-config disables all versions/);
  expect(() => settings("--emulated-release=1.23", off("v1beta1", "v1beta2"))).toThrow(/flow control/);
  expect(() => settings("--runtime-config=api/all=false,v1=true")).toThrow(/flow control/);
  expect(settings("--emulated-release=1.23", off("v1beta1")).fairness).toBe(true);
  expect(settings("--emulated-release=1.19", off("v1alpha1")).fairness).toBe(false);
  expect(settings("--enable-priority-and-fairness=false", "--runtime-config=api/all=false,v1=true").fairness).toBe(
    false,
  );
});

test("--admission-control is the complete list of plugins, whose order means nothing", () => {
  const { plugins } = settings("--admission-control=CertificateSigning,NamespaceLifecycle");
  expect(plugins.map(({ name }) => name)).toEqual(["NamespaceLifecycle", "CertificateSigning"]);
});

test.each<[string[], string]>([
  [
    ["--admission-control=NamespaceLifecycle", "--enable-admission-plugins=CertificateSigning"],
    "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
  ],
  [
    ["--admission-control=NamespaceLifecycle", "--disable-admission-plugins=CertificateSigning"],
    "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
  ],
  [["--admission-control=NamespaceLifecycle,Nothing"], 'admission-control plugin "Nothing" is unknown'],
])("plugins that %p name are refused", (words, message) => {
  expect(() => settings(...words)).toThrow(message);
});

test("versions of reviews that the server sends to others may be switched on", () => {
  const flag = "--runtime-config=imagepolicy.orch.io/v1alpha1=true,admission.orch.io/v1beta1=true";
  expect(settings(flag, "--authorization-mode=RBAC").warnings).toEqual([]);
});

const DUAL_WRITE = "DisableAllocatorDualWrite";
const ALLOCATOR = "MultiCIDRServiceAllocator";
test.each<[string, string, string, string | undefined]>([
  ["1.23", "10.0.0.0/12", "", undefined],
  ["1.23", "10.0.0.0/11", "", "10.0.0.0/11 is larger than a /12"],
  ["1.33", "10.0.0.0/8", "", "10.0.0.0/8 is larger than a /12"],
  ["1.33", "10.0.0.0/8", `${DUAL_WRITE}=true`, undefined],
  ["1.33", "10.0.0.0/8", `${DUAL_WRITE}=true,${ALLOCATOR}=false`, "10.0.0.0/8 is larger than a /12"],
  ["1.34", "10.0.0.0/8", "", undefined],
  ["1.34", "10.0.0.0/8", `${DUAL_WRITE}=false`, "10.0.0.0/8 is larger than a /12"],
  ["1.36", "10.0.0.0/8,fd00::/64", "", undefined],
  ["1.36", "0.0.0.0/0", "", undefined],
  ["1.36", "10.0.0.0/31", "", "10.0.0.0/31 has fewer than 8 addresses"],
])("at %s --service-cluster-ip-range=%s with the gates %j: %s", (release, blocks, gates, problem) => {
  const words = [`--emulated-release=${release}`, `--service-cluster-ip-range=${blocks}`, `--feature-gates=${gates}`];
  const read = () => settings(...words).serviceRanges.addresses.map((range) => range?.text);
  if (problem === undefined) expect(read()).toEqual(blocks.split(","));
  else expect(read).toThrow(`--service-cluster-ip-range: ${problem}`);
});

const V1BETA1 = "certificates.k8s.io/v1beta1";
test.each<[string, string, string, string, boolean, boolean]>([
  ["1.36", "certificates.k8s.io/v1beta1/clustertrustbundles", V1BETA1, "", false, true],
  ["1.36", "certificates.k8s.io/v1beta1/clustertrustbundles", V1BETA1, "ClusterTrustBundle=true", true, false],
  ["1.36", "certificates.k8s.io/v1beta1/clustertrustbundles", "", "ClusterTrustBundle=true", false, false],
  ["1.36", "certificates.k8s.io/v1beta1/podcertificaterequests", V1BETA1, "ClusterTrustBundle=true", false, true],
  ["1.36", "certificates.k8s.io/v1beta1/podcertificaterequests", "api/all", "AllBeta=true", true, false],
  ["1.36", "scheduling.k8s.io/v1alpha2/podgroups", "api/all", "", false, false],
  ["1.36", "scheduling.k8s.io/v1alpha2/workloads", "api/all", "GenericWorkload=true", true, false],
  [
    "1.36",
    "storagemigration.k8s.io/v1beta1/storageversionmigrations",
    "storagemigration.k8s.io/v1beta1",
    "",
    false,
    true,
  ],
  ["1.36", "resource.k8s.io/v1beta2/devicetaintrules", "resource.k8s.io/v1beta2", "", true, false],
  ["1.37", "certificates.k8s.io/v1/clustertrustbundles", "", "", true, false],
  ["1.37", "certificates.k8s.io/v1/clustertrustbundles", "", "ClusterTrustBundle=false", false, false],
  ["1.37", "certificates.k8s.io/v1/podcertificaterequests", "", "", true, false],
  ["1.37", "scheduling.k8s.io/v1beta1/podgroups", "scheduling.k8s.io/v1beta1", "", false, true],
])(
  "at %s %s with --runtime-config=%s and the gates %j is served: %s",
  (release, key, enabled, gates, served, warns) => {
    const words = [`--emulated-release=${release}`, `--runtime-config=${enabled}`, `--feature-gates=${gates}`];
    const { runtime, warnings } = settingsOf(configOf(...words), vocabularyOf("kubernetes"));
    const [group = "", version = "", resource = ""] = key.split("/");
    expect(runtime.enabled(group, version, resource)).toBe(served);
    const ofRuntime = warnings.filter((warning) => warning.startsWith(`--runtime-config: ${key} is not served`));
    expect(ofRuntime).toHaveLength(warns ? 1 : 0);
  },
);

test.each([
  [["--identity-lease-duration-seconds=10"], "--identity-lease-renew-interval-seconds: 10 must be less than"],
  [["--coordinated-leadership-lease-duration=10s"], "must be greater than --coordinated-leadership-renew-deadline"],
  [
    ["--coordinated-leadership-retry-period=9s"],
    "must be greater than 1.2 times --coordinated-leadership-retry-period",
  ],
  [["--peer-ca-file=/ca.crt"], "--peer-ca-file requires --proxy-client-cert-file"],
])("%j is refused", (words, text) => {
  expect(() => settings(...words)).toThrow(text);
});
