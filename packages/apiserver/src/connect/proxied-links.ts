// Links of a proxied answer, made to lead through the proxy again. Source: facts, apiserver-hooks.md "Plain proxying", response.

export interface ProxyPlace {
  /** The path up to and with `/proxy`, as the client wrote it. */
  readonly prefix: string;
  /** Under which name the client has found this server; "" when it did not say. */
  readonly host: string;
  /** `host:port` of the target. */
  readonly target: string;
}

/** Absolute paths, and whole addresses on the target or on this server, go through the proxy; all else is left as it is. */
export function proxiedLink(link: string, { prefix, host, target }: ProxyPlace): string {
  const parts = /^(?:(?:https?:)?\/\/([^/?#]*))?(\/[^?#]*)(.*)$/is.exec(link);
  if (parts === null) return link;
  const [, authority, path = "", rest = ""] = parts;
  if (authority !== undefined && authority !== target && authority !== host) return link;
  const origin = authority === undefined ? "" : `https://${host}`;
  const isThrough = path === prefix || path.startsWith(`${prefix}/`);
  return `${origin}${isThrough ? path : prefix + path}${rest}`;
}
