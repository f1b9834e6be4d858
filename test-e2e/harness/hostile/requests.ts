// Requests for places that parse, change or write bytes and objects.
import type { SendOptions } from "../https-client";

export interface HostileRequest extends SendOptions {
  readonly path: string;
}

export interface HostileInput {
  /** Name of the place. */
  readonly what: string;
  /** The largest accepted size, or the most expensive one. */
  readonly size: number;
  /** Requests that are sent first and not measured. */
  readonly before?: (size: number) => readonly HostileRequest[];
  readonly request: (size: number) => HostileRequest;
  /** Requests that are sent at the same time. */
  readonly beside?: (size: number) => readonly HostileRequest[];
  /**
   * A request that is sent afterwards and measured too: answered after the server's asynchronous work for the first
   * one.
   */
  readonly settled?: HostileRequest;
  /** Status code of the answer. Default: any from 200. */
  readonly expects?: number;
  /** Whether the request may fail because another server's answer is unusable. */
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
/** Replaces an object, whether it exists or not. */
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
