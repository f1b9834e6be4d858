// Rewrites links of a proxied answer so that they lead through the proxy. Source:
// staging/src/k8s.io/apimachinery/pkg/util/proxy/transport.go.

export interface ProxyPlace {
  /** Path through `/proxy`, as the client wrote it. */
  readonly prefix: string;
  /** Host name by which the client reached this server; "" when unknown. */
  readonly host: string;
  /** `host:port` of the target. */
  readonly target: string;
}

/** Absolute paths, and URLs of the target or of this server, lead through the proxy; other links are unchanged. */
export function proxiedLink(link: string, { prefix, host, target }: ProxyPlace): string {
  const parts = /^(?:(?:https?:)?\/\/([^/?#]*))?(\/[^?#]*)(.*)$/is.exec(link);
  if (parts === null) return link;
  const [, authority, path = "", rest = ""] = parts;
  if (authority !== undefined && authority !== target && authority !== host) return link;
  const origin = authority === undefined ? "" : `https://${host}`;
  const isThrough = path === prefix || path.startsWith(`${prefix}/`);
  return `${origin}${isThrough ? path : prefix + path}${rest}`;
}
