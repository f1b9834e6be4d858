// Under which name a client asks for this server. It says so once, or all that it says must agree: whoever stands before the server
// may have looked at the other one. Source: RFC 9112, 3.2 and 3.2.2; RFC 9113, 8.3.1.
import type { IncomingMessage } from "node:http";

type Head = Pick<IncomingMessage, "rawHeaders" | "headers" | "httpVersionMajor" | "httpVersion">;

/**
 * @param targetAuthority of a target that is a whole address
 * @returns the host with its port, "" where the client names none; or a sentence on what is wrong
 */
export function readHost(head: Head, targetAuthority: string | undefined): { readonly host: string } | string {
  const { rawHeaders, headers } = head;
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== HOST.length || name.toLowerCase() !== HOST) continue;
    if (found !== undefined) return "there is more than one Host header";
    found = rawHeaders[at + 1] as string;
  }
  if (found === undefined && head.httpVersion === "1.1") return "a Host header is missing";
  const { ":authority": ofHttp2, host } = headers as { readonly ":authority"?: string; readonly host?: string };
  const authority = head.httpVersionMajor < 2 ? (targetAuthority ?? host) : ofHttp2;
  for (const each of [found, authority]) {
    if (each !== undefined && !isHost(each)) return "the Host header holds no host";
  }
  // On HTTP/1.1 a whole address counts instead of the header, whatever that says; on HTTP/2 the two must agree.
  if (head.httpVersionMajor >= 2 && found !== undefined && authority !== undefined && !sameHost(found, authority)) {
    return "the Host header names another host than :authority";
  }
  return { host: authority ?? found ?? "" };
}

const HOST = "host";

/** Few names lead to a server, and they come with every request. */
const known = new Set<string>();
const KNOWN_MAX = 100;

function isHost(text: string): boolean {
  if (known.has(text)) return true;
  if (!HOST_FORM.test(text)) return false;
  if (known.size >= KNOWN_MAX) known.clear();
  known.add(text);
  return true;
}

/** An address in brackets, or a name or address of the letters that RFC 3986 gives to it, perhaps with a port; or nothing. */
const HOST_FORM = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

const sameHost = (one: string, other: string): boolean => one === other || canonical(one) === canonical(other);

const canonical = (host: string): string => host.toLowerCase().replace(/:(?:443)?$/, "");
