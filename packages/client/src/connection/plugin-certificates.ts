// Certificates that credential plugins have given, for metrics of their ages and of the first one to expire.
import { X509Certificate } from "node:crypto";
import type { Clock } from "@orch/platform";
import type { CredentialDeps, KeyPair } from "./credential-parts";
import type { PluginMetrics } from "./plugin-metrics";

interface Validity {
  readonly pem: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export class PluginCertificates {
  private static readonly known = new WeakMap<PluginMetrics, PluginCertificates>();
  private readonly current = new Map<object, Validity>();

  private constructor(
    private readonly clock: Clock,
    private readonly metrics: PluginMetrics | undefined,
  ) {}

  /** Returns the certificates of all plugins whose metrics are the same. */
  static for({ clock, pluginMetrics }: CredentialDeps): PluginCertificates {
    const found = pluginMetrics && PluginCertificates.known.get(pluginMetrics);
    if (found !== undefined) return found;
    const made = new PluginCertificates(clock, pluginMetrics);
    if (pluginMetrics !== undefined) PluginCertificates.known.set(pluginMetrics, made);
    return made;
  }

  /** Records the certificate of a plugin's new credentials. @param pair undefined: they have none */
  replaced(plugin: object, pair: KeyPair | undefined): void {
    const { metrics, current, clock } = this;
    if (metrics === undefined) return;
    const before = current.get(plugin);
    if (before?.pem === pair?.certificate) return;
    if (before !== undefined) metrics.rotated((clock.now() - before.fromMs) / 1000);
    if (pair === undefined) current.delete(plugin);
    else {
      const { validFrom, validTo } = new X509Certificate(pair.certificate);
      current.set(plugin, { pem: pair.certificate, fromMs: Date.parse(validFrom), untilMs: Date.parse(validTo) });
    }
    const ends = [...current.values()].map(({ untilMs }) => untilMs);
    metrics.expires(ends.length === 0 ? undefined : Math.min(...ends));
  }
}
