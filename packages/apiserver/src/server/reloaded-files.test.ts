// Every option that names a certificate or key file: a bad file only counts a failure, a good one is in force without a
// restart.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { EtcdFiles, ServingTls, watchedPair } from "@orch/http-server";
import { defaultsOf } from "@orch/machinery";
import { ServerMetrics, SILENT } from "@orch/observability";
import { type KeyAndCertificate, makeCertificate, systemClock } from "@orch/platform";
import { NodeAgentFiles } from "@orch/proxy";
import { SERVER_FLAGS, type ServerConfig } from "@orch/server-config";

type FileOption = {
  [Option in keyof ServerConfig]: ServerConfig[Option] extends string ? Option : never;
}[keyof ServerConfig];

interface Opened {
  /** PEM. */
  inForce(): string | undefined;
  close(): void;
}

interface Row {
  readonly certificate: FileOption;
  /** Absent for files with trusted certificates. */
  readonly key?: FileOption;
  open(config: ServerConfig, metrics: ServerMetrics): Opened;
}

const serving = (config: ServerConfig, metrics: ServerMetrics, shown: (tls: ServingTls) => string): Opened => {
  const tls = new ServingTls({ config, authority: undefined, logger: SILENT, metrics, clock: systemClock });
  let used = "";
  const use = () => {
    used = shown(tls);
  };
  use();
  tls.watch(use);
  return { inForce: () => used, close: () => tls.close() };
};

const agents = (config: ServerConfig, metrics: ServerMetrics, shown: (files: NodeAgentFiles) => string | undefined) => {
  const files = new NodeAgentFiles(config, { logger: SILENT, metrics });
  return { inForce: () => shown(files), close: () => files.close() };
};

const etcd = (config: ServerConfig, metrics: ServerMetrics, part: "ca" | "cert") => {
  const files = EtcdFiles.open(config, { logger: SILENT, metrics });
  return { inForce: () => files?.material()[part]?.toString(), close: () => files?.close() };
};

const ROWS: readonly Row[] = [
  {
    certificate: "tls-cert-file",
    key: "tls-private-key-file",
    open: (config, metrics) => serving(config, metrics, (tls) => String(tls.material().cert)),
  },
  {
    certificate: "client-ca-file",
    open: (config, metrics) => serving(config, metrics, (tls) => tls.authorities().clients),
  },
  {
    certificate: "requestheader-client-ca-file",
    open: (config, metrics) => serving(config, metrics, (tls) => tls.authorities().proxies),
  },
  {
    certificate: "proxy-client-cert-file",
    key: "proxy-client-key-file",
    open(config, metrics) {
      const file = (option: FileOption) => ({ option, file: config[option] });
      const parts = { logger: SILENT, metrics };
      const pair = watchedPair(file("proxy-client-cert-file"), file("proxy-client-key-file"), parts);
      return { inForce: () => pair.current.cert, close: () => pair.close() };
    },
  },
  {
    certificate: "nodeagent-certificate-authority",
    open: (config, metrics) => agents(config, metrics, (files) => files.authority()),
  },
  {
    certificate: "nodeagent-client-certificate",
    key: "nodeagent-client-key",
    open: (config, metrics) => agents(config, metrics, (files) => files.certificate()?.cert),
  },
  { certificate: "etcd-cafile", open: (config, metrics) => etcd(config, metrics, "ca") },
  {
    certificate: "etcd-certfile",
    key: "etcd-keyfile",
    open: (config, metrics) => etcd(config, metrics, "cert"),
  },
];

const folder = mkdtempSync(join(tmpdir(), "reloaded-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

const made = (commonName: string): KeyAndCertificate =>
  makeCertificate({ subject: { commonName }, usage: { kind: "authority" }, nowMs: Date.now() });
const [FIRST, SECOND] = [made("first"), made("second")];

const unasked = defaultsOf(SERVER_FLAGS) as unknown as ServerConfig;
const allowedLabels = new Map();
const newMetrics = () =>
  new ServerMetrics({ disabled: [], allowedLabels, process: false, release: "1.23", showHidden: false, warn() {} });

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

test.concurrent.each(ROWS.map((row) => [row.certificate, row] as const))("--%s", async (option, row) => {
  const metrics = newMetrics();
  const counted = async (of: FileOption, result: "success" | "failure") => {
    const { values } = await metrics.counter("apiserver_configuration_reloads_total").get();
    return values.find(({ labels }) => labels["option"] === of && labels["result"] === result)?.value ?? 0;
  };
  const until = async (of: FileOption, result: "success" | "failure") => {
    while ((await counted(of, result)) === 0) await pause();
  };

  const own = mkdtempSync(join(folder, "row-"));
  const put = (of: FileOption, text: string): string => {
    const file = join(own, of);
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    return file;
  };
  const { key } = row;
  const putPair = (pair: KeyAndCertificate) => ({
    [option]: put(option, pair.certificate),
    ...(key === undefined ? {} : { [key]: put(key, pair.key) }),
  });
  const serves = {
    "tls-cert-file": put("tls-cert-file", FIRST.certificate),
    "tls-private-key-file": put("tls-private-key-file", FIRST.key),
  };

  const opened = row.open({ ...unasked, ...serves, ...putPair(FIRST) }, metrics);
  expect(opened.inForce()).toBe(FIRST.certificate);
  put(option, "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n");
  await until(option, "failure");
  expect(opened.inForce()).toBe(FIRST.certificate);
  expect(await counted(option, "success")).toBe(0);
  putPair(SECOND);
  await until(key ?? option, "success");
  expect(opened.inForce()).toBe(SECOND.certificate);
  opened.close();
});
