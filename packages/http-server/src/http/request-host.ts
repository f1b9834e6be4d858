// Determines the host that a client names. All names in a request must agree, because a proxy before the server may
// have used another one. Source: RFC 9112, sections 3.2 and 3.2.2; RFC 9113, section 8.3.1.
import type { IncomingMessage } from "node:http";

type Head = Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersionMajor" | "httpVersion">;

/**
 * @param targetAuthority authority of an absolute-form target
 * @returns the host with its port, "" when the client names none; or an error message
 */
export function readHost(head: Head, targetAuthority: string | undefined): { readonly host: string } | string {
  const { rawHeaders, headers } = head;
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== HOST.length || name.toLowerCase() !== HOST) continue;
    if (found !== undefined) return "the request has more than one Host header";
    found = rawHeaders[at + 1] as string;
  }
  if (found === undefined && head.httpVersion === "1.1") return "the request has no Host header";
  const { ":authority": ofHttp2, host } = headers as { readonly ":authority"?: string; readonly host?: string };
  const authority = head.httpVersionMajor < 2 ? (targetAuthority ?? host) : ofHttp2;
  for (const each of [found, authority]) {
    if (each !== undefined && !isHost(each)) return "the Host header contains no host";
  }
  // In HTTP/1.1 an absolute-form target replaces the header; in HTTP/2 the two must agree.
  if (head.httpVersionMajor >= 2 && found !== undefined && authority !== undefined && !sameHost(found, authority)) {
    return "the Host header does not match :authority";
  }
  return { host: authority ?? found ?? "" };
}

const HOST = "host";

/** Cache of valid hosts: few names lead to a server, and every request has one. */
const known = new Set<string>();
const KNOWN_MAX = 100;

function isHost(text: string): boolean {
  if (known.has(text)) return true;
  if (!HOST_FORM.test(text)) return false;
  if (known.size >= KNOWN_MAX) known.clear();
  known.add(text);
  return true;
}

/** An address in brackets, or a name or address of the characters of RFC 3986, with an optional port; or nothing. */
const HOST_FORM = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

const sameHost = (one: string, other: string): boolean => one === other || canonical(one) === canonical(other);

const canonical = (host: string): string => host.toLowerCase().replace(/:(?:443)?$/, "");
