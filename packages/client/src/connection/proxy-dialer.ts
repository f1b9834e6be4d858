// Opens connections through the proxy of a client: by the method CONNECT, or by SOCKS 5.
import { isIP, type Socket } from "node:net";
import { rootCertificates } from "node:tls";
import { ConnectDialer, type Dialer, type DialTarget } from "@orch/platform";
import { readTextSource, type TlsSettings } from "./connection-settings";
import { SocksDialer } from "./socks-dialer";

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "socks5:": 1080, "socks5h:": 1080 };
const UNOBSERVED = { started: () => {}, failed: () => {}, connected: () => {} };

/**
 * Returns a dialer through a proxy.
 * @param tls trust of the cluster, which an https proxy may use as well
 */
export function proxyDialer(url: URL, tls: TlsSettings): Dialer {
  const at = { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || (PORTS[url.protocol] ?? 0) };
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  // Without the password.
  const name = `${url.protocol}//${url.host}`;
  if (url.protocol.startsWith("socks5")) {
    return new SocksDialer({ name, at, ...(user === "" ? {} : { login: { user, password } }) });
  }
  const authorization =
    user === "" && password === "" ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  if (url.protocol === "http:") return new ConnectDialer({ name, at, authorization }, UNOBSERVED);
  return new SecureProxyDialer({ name, at, authorization }, tls);
}

/** Verifies an https proxy with the certificate authorities of Node.js and those of the cluster. */
class SecureProxyDialer implements Dialer {
  private dialer: Promise<Dialer> | undefined;

  constructor(
    private readonly proxy: ConstructorParameters<typeof ConnectDialer>[0] & { readonly at: DialTarget },
    private readonly tls: TlsSettings,
  ) {}

  async dial(target: DialTarget): Promise<Socket> {
    this.dialer ??= this.made();
    return (await this.dialer).dial(target);
  }

  private async made(): Promise<Dialer> {
    const { ca, insecureSkipVerify } = this.tls;
    const { host } = this.proxy.at;
    const tls = {
      minVersion: "TLSv1.2",
      rejectUnauthorized: insecureSkipVerify !== true,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined
        ? {}
        : { ca: [...rootCertificates, await readTextSource(ca)], allowPartialTrustChain: true }),
    } as const;
    return new ConnectDialer({ ...this.proxy, tls }, UNOBSERVED);
  }
}
