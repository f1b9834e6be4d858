// Metrics of the external signer of service account tokens. Source: pkg/serviceaccount/externaljwt/metrics/metrics.go.
import type { NamedMetrics } from "@orch/platform";
import { CallError } from "./unary-channel";

export type SignerMetrics = NamedMetrics<
  "apiserver_externaljwt_fetch_keys_request_total" | "apiserver_externaljwt_sign_request_total",
  "apiserver_externaljwt_fetch_keys_success_timestamp" | "apiserver_externaljwt_fetch_keys_data_timestamp",
  "apiserver_externaljwt_request_duration_seconds"
>;

export interface SignerObserver {
  /** The signer answered a call, or failed. @param method full name: `/v1.ExternalJWTSigner/Sign` */
  called(method: string, error: unknown, seconds: number): void;
  /** The keys were fetched, or not. @param dataSeconds Unix time that the signer stated for them */
  fetched(outcome: { readonly dataSeconds: number } | { readonly error: unknown }): void;
  /** A token was signed, or not. */
  signed(error: unknown): void;
}

/** Code of a failure before or after the call itself. */
const OTHER = "unknown-non-grpc";

const codeOf = (error: unknown): string => {
  if (error === undefined) return "OK";
  return error instanceof CallError ? error.code : OTHER;
};

export function signerObserver(metrics: SignerMetrics): SignerObserver {
  const calls = metrics.histogram("apiserver_externaljwt_request_duration_seconds");
  const fetches = metrics.counter("apiserver_externaljwt_fetch_keys_request_total");
  const signatures = metrics.counter("apiserver_externaljwt_sign_request_total");
  const fetchedAt = metrics.gauge("apiserver_externaljwt_fetch_keys_success_timestamp");
  const dataAt = metrics.gauge("apiserver_externaljwt_fetch_keys_data_timestamp");
  return {
    called: (method, error, seconds) => calls.labels({ method, code: codeOf(error) }).observe(seconds),
    signed: (error) => signatures.inc({ code: codeOf(error) }),
    fetched(outcome) {
      fetches.inc({ code: codeOf("error" in outcome ? outcome.error : undefined) });
      if ("error" in outcome) return;
      fetchedAt.set(Date.now() / 1000);
      dataAt.set(outcome.dataSeconds);
    },
  };
}
