// Requests as they are sent to places that read, change or write bytes and objects.
import type { SendOptions } from "../https-client";

export interface HostileRequest extends SendOptions {
  readonly path: string;
}

export interface HostileInput {
  /** The place that is meant. */
  readonly what: string;
  /** The largest that is let in, or what costs most of all that is. */
  readonly size: number;
  /** Sent before, unmeasured. */
  readonly before?: (size: number) => readonly HostileRequest[];
  readonly request: (size: number) => HostileRequest;
  /** Sent at the same time. */
  readonly beside?: (size: number) => readonly HostileRequest[];
  /** Sent then, and measured too: it is answered once the server has done what it does after its answer to the first. */
  readonly settled?: HostileRequest;
  /** What another has answered may be nothing that the server can go on with. */
  readonly isOfAnother?: true;
}

export const MEBIBYTE = 1024 * 1024;

export const times = <Made>(count: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: count }, (_, at) => make(at));
export const keyed = <Made>(count: number, make: (at: number) => Made): Record<string, Made> =>
  Object.fromEntries(times(count, (at) => [`k${at}`, make(at)]));

export const sent = (
  method: string,
  path: string,
  body: object | string,
  type = "application/json",
): HostileRequest => ({
  method,
  path,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { "content-type": type },
  timeoutMs: 120_000,
});
/** Whatever is there, it is as new afterwards. */
export const anew = (path: string, name: string, object: object): readonly HostileRequest[] => [
  { method: "DELETE", path: `${path}/${name}?gracePeriodSeconds=0` },
  sent("POST", path, object),
];
export const read = (path: string, accept = "application/json"): HostileRequest => ({
  path,
  headers: { accept },
  timeoutMs: 120_000,
});
export const dry = (path: string, object: object | string, type?: string) =>
  sent("POST", `${path}?dryRun=All`, object, type);
