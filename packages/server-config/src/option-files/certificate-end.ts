// Metric of the certificates in use: when the first of them expires, by option.
import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "@orch/platform";
import type { ReloadMetrics } from "./reloaded-file";

/**
 * Sets `apiserver_certificate_expiration_timestamp_seconds`.
 * @param option name of the option that names the certificates, without dashes
 * @param pem certificates, of which the first end counts; none removes the value
 */
export function showCertificateEnd(metrics: ReloadMetrics, option: string, pem: string): void {
  const gauge = metrics.gauge("apiserver_certificate_expiration_timestamp_seconds");
  const ends = certificateBlocks(pem).map((block) => Date.parse(new X509Certificate(block).validTo) / 1000);
  if (ends.length === 0) gauge.remove({ option });
  else gauge.set({ option }, Math.min(...ends));
}
