// Opens the audit that the options describe: its policy and its backends.
import type { Client } from "@orch/client";
import { type EgressSelector, errorFields, type Log, type NamedMetrics, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import {
  auditVersions,
  isAudited,
  namingOption,
  type ReloadMetrics,
  reloadWhenChanged,
  type ServerConfig,
  versionOf,
} from "@orch/server-config";
import {
  type AuditBackend,
  type AuditBackendFailures,
  encoders,
  logBackend,
  webhookBackend,
} from "../backends/backend";
import { backendOptions } from "../backends/backend-options";
import { type Alone, LogFile } from "../backends/log-file";
import { webhookSender } from "../backends/webhook";
import type { AuditSink } from "../event/audit-event";
import { AuditThread } from "../thread/audit-thread";
import { BodyReader } from "../thread/body-texts";
import { PolicyAudit } from "./policy-audit";
import { WatchedPolicy } from "./watched-policy";

export interface AuditParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly logger: Log;
  readonly metrics: NamedMetrics<
    "apiserver_audit_error_total" | "apiserver_audit_event_total" | "apiserver_audit_level_total"
  > &
    ReloadMetrics;
  /** Absent: connections are direct. */
  readonly egress?: EgressSelector;
  /** Mutual exclusion with other processes that write to the same file; see LogFile. */
  readonly alone?: Alone | undefined;
}

export interface OpenAudit {
  readonly sink: AuditSink;
  /** Flushes the backends and stops auditing. */
  close(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;
const DEFAULT_FILE_MEBIBYTES = 100;
/** Maximum time to flush when the server stops. */
const CLOSE_MS = 10_000;

/** @returns undefined when the options enable no audit @throws SettingsError for an invalid policy or file */
export async function openAudit(parts: AuditParts): Promise<OpenAudit | undefined> {
  const { config, vocabulary, release, logger, metrics } = parts;
  if (!isAudited(config)) return undefined;
  const trouble = troubleIn(parts);
  const versions = auditVersions({ vocabulary, release });
  const thread = new AuditThread({ vocabulary: vocabulary.name, release, versions });
  const stops: (() => void)[] = [];
  const policyFile = config["audit-policy-file"];
  const policy = new WatchedPolicy(policyFile, { vocabulary, release, versions }, thread, (text) =>
    logger.warn(`--audit-policy-file: ${text}`),
  );
  const backends: AuditBackend[] = [];
  // The watch starts before the first reading, which may take a while.
  stops.push(reloadWhenChanged(parts, { option: "audit-policy-file", file: policyFile }, () => policy.load()));
  try {
    await namingOption("audit-policy-file", () => policy.load());
    const encoderOf = encoders(vocabulary);
    if (config["audit-log-path"] !== "") backends.push(await openLog(parts, trouble, encoderOf));
    if (config["audit-webhook-config-file"] !== "") {
      const opened = await openWebhook(parts, trouble, encoderOf);
      backends.push(opened.backend);
      stops.push(opened.stop);
    }
  } catch (error) {
    for (const stop of stops) stop();
    thread.close();
    throw error;
  }
  const bodies = new BodyReader(thread, (error) => trouble.withoutBody(error));
  const sink = new PolicyAudit({
    policy: () => policy.current,
    ...{ backends, bodies, metrics },
    failed: (error) => trouble.lost("buffered", 1, error),
  });
  return {
    sink,
    async close() {
      for (const stop of stops) stop();
      await Promise.race([sink.settled(), late(CLOSE_MS)]);
      await Promise.all(backends.map((backend) => backend.close(CLOSE_MS)));
      thread.close();
    },
  };
}

const late = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs).unref());

type EncoderOf = ReturnType<typeof encoders>;

async function openLog(
  { config, vocabulary, alone }: AuditParts,
  trouble: AuditBackendFailures,
  encoderOf: EncoderOf,
): Promise<AuditBackend> {
  const file = new LogFile(
    {
      path: config["audit-log-path"],
      maxBytes: (config["audit-log-maxsize"] || DEFAULT_FILE_MEBIBYTES) * MEBIBYTE,
      maxAgeDays: config["audit-log-maxage"],
      maxBackups: config["audit-log-maxbackup"],
      compress: config["audit-log-compress"],
    },
    {
      clock: systemClock,
      alone,
      failed: (error, events) => trouble.lost("log", events, error),
      disturbed: (error) => trouble.lost("log", 0, error),
    },
  );
  await namingOption("audit-log-path", () => file.open());
  const form = config["audit-log-format"] === "legacy" ? "legacy" : "json";
  const encode = encoderOf(form, versionOf(config, "log", vocabulary));
  return logBackend(file, { ...backendOptions(config, "log"), clock: systemClock, encode, trouble });
}

/** A replaced client may still have requests in progress. */
const FORMER_CLIENT_MS = 60_000;

async function openWebhook(
  parts: AuditParts,
  trouble: AuditBackendFailures,
  encoderOf: EncoderOf,
): Promise<{ readonly backend: AuditBackend; stop(): void }> {
  const { config, vocabulary, logger } = parts;
  const { Client: MadeClient, loadConnection } = require("@orch/client") as typeof import("@orch/client");
  const open = (): Client =>
    new MadeClient({
      connection: loadConnection({ path: config["audit-webhook-config-file"], vocabulary: vocabulary.name }),
      vocabulary: vocabulary.name,
      program: vocabulary.programs.apiserver,
      component: "audit",
      rateLimit: { perSecond: 0, burst: 0 },
      log: logger,
      dialer: parts.egress?.dialer("controlplane"),
      onWarning: () => {},
    });
  let client = await namingOption("audit-webhook-config-file", async () => open());
  const webhookFile = { option: "audit-webhook-config-file", file: config["audit-webhook-config-file"] };
  const stop = reloadWhenChanged(parts, webhookFile, () => {
    const former = client;
    client = open();
    setTimeout(() => former.close(), FORMER_CLIENT_MS).unref();
  });
  const apiVersion = versionOf(config, "webhook", vocabulary);
  const firstBackoffMs = config["audit-webhook-initial-backoff"];
  const send = webhookSender(
    { apiVersion, firstBackoffMs },
    { clock: systemClock, chance: Math.random, client: () => client },
  );
  const backend = webhookBackend(send, {
    ...backendOptions(config, "webhook"),
    clock: systemClock,
    encode: encoderOf("json", apiVersion),
    trouble,
  });
  return {
    backend: { ...backend, close: (boundMs) => backend.close(boundMs).finally(() => client.close()) },
    stop,
  };
}

const TELL_EVERY_MS = 10_000;

/**
 * Every lost event is counted in the metrics. The log gets a line for the first, and later lines with the number of
 * further ones.
 */
function troubleIn({ logger, metrics }: AuditParts): AuditBackendFailures {
  const errors = metrics.counter("apiserver_audit_error_total");
  const told = new Map<string, { atMs: number; untold: number }>();
  const tell = (what: string, plugin: string, events: number, error: Error): void => {
    errors.inc({ plugin }, events);
    const nowMs = performance.now();
    const key = `${plugin} ${what}`;
    const before = told.get(key) ?? { atMs: Number.NEGATIVE_INFINITY, untold: 0 };
    const untold = before.untold + events;
    if (nowMs - before.atMs < TELL_EVERY_MS) {
      told.set(key, { ...before, untold });
      return;
    }
    told.set(key, { atMs: nowMs, untold: 0 });
    logger.error(what, { plugin, events: untold, ...errorFields(error) });
  };
  return {
    lost: (plugin, events, error) => tell("audit events were dropped or delayed", plugin, events, error),
    withoutBody: (error) => tell("audit events are recorded without request and response bodies", "truncate", 1, error),
  };
}
