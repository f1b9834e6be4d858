// Reason of a 401 that the client can tell by itself: its certificate has expired, or is not valid yet.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ConnectionSettings } from "@orch/client";

/** Returns what is wrong with the client certificate, and the remedy. @param nowMs time of the day @returns undefined when nothing is */
export function certificateNote({ credentials }: ConnectionSettings, nowMs: number): string | undefined {
  const source = credentials.certificate?.certificate;
  if (source === undefined) return undefined;
  try {
    const certificate = new X509Certificate(source.kind === "text" ? source.text : readFileSync(source.path));
    const from = Date.parse(certificate.validFrom);
    const until = Date.parse(certificate.validTo);
    const where = source.kind === "file" ? ` ${source.path}` : "";
    if (nowMs > until)
      return `the client certificate${where} expired at ${new Date(until).toISOString()}: request a new one, or renew it with orch cert renew`;
    if (nowMs < from)
      return `the client certificate${where} is not valid before ${new Date(from).toISOString()}: check the clock`;
    return undefined;
  } catch {
    return undefined; // the connection has told that it cannot be read
  }
}
