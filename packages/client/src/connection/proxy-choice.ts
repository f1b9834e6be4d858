// Choice of the proxy to a server: that of the configuration, or that of the environment. Source: the package httpproxy
// of golang.org/x/net, which the clients of Kubernetes use.
import { BlockList, isIP } from "node:net";
import { ConfigurationError, type ProxyChoice } from "./connection-settings";

type Environment = Readonly<Record<string, string | undefined>>;

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks5h:"]);
const SECURE_PORT = "443";
const PLAIN_PORT = "80";

/** Returns the URL of the proxy to a server; undefined: the connection is direct. @throws ConfigurationError */
export function proxyOf(choice: ProxyChoice | undefined, server: URL, environment: Environment): URL | undefined {
  if (choice === undefined) return undefined;
  return choice.kind === "url" ? proxyUrl(choice.url) : proxyOfEnvironment(server, environment);
}

/** Checks the URL of a proxy in a configuration. @throws ConfigurationError, without the URL's password */
export function proxyUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new ConfigurationError("proxy-url is not a URL");
  if (!SCHEMES.has(url.protocol)) {
    const scheme = JSON.stringify(url.protocol.slice(0, -1));
    throw new ConfigurationError(`proxy-url: unsupported scheme ${scheme}, must be http, https, or socks5`);
  }
  if (url.hostname === "") throw new ConfigurationError("proxy-url has no host");
  return url;
}

function proxyOfEnvironment(server: URL, environment: Environment): URL | undefined {
  const isSecure = server.protocol === "https:";
  const [name, text] = firstOf(environment, isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (text === "" || isDirect(server, firstOf(environment, "NO_PROXY")[1])) return undefined;
  // A CGI program gets the header Proxy of its client in this variable.
  if (name === "HTTP_PROXY" && environment["REQUEST_METHOD"]) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && SCHEMES.has(url.protocol)) return url;
  if (!text.includes("://") && URL.canParse(`http://${text}`)) return new URL(`http://${text}`);
  throw new ConfigurationError(`${name} is not the URL of a proxy`);
}

/** Returns the first variable that is set, in upper or lower case. */
function firstOf(environment: Environment, name: string): readonly [string, string] {
  const found = [name, name.toLowerCase()].find((each) => environment[each]);
  return found === undefined ? [name, ""] : [found, environment[found] ?? ""];
}

function isDirect(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? SECURE_PORT : PLAIN_PORT);
  if (host === "localhost" || (isIP(host) !== 0 && LOOPBACK.check(host, familyOf(host)))) return true;
  return noProxy
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== "" && isExcepted(entry, host, port));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** Reports whether an entry of NO_PROXY excepts a host. Host names have no port, or the port of the server. */
function isExcepted(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [network = "", bits, ...rest] = entry.split("/");
  if (bits !== undefined && rest.length === 0 && isIP(network) !== 0) return isWithin(network, bits, host);
  const { name, at } = separated(entry);
  if (at !== undefined && at !== port) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && isWithin(name, isIP(name) === 4 ? "32" : "128", host);
  if (name === "") return false;
  const suffix = name.startsWith("*.") ? name.slice(1) : name;
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isWithin(network: string, bits: string, host: string): boolean {
  const family = familyOf(network);
  if (isIP(host) === 0 || familyOf(host) !== family) return false;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (family === "ipv4" ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, family);
}

/** Separates the port of an entry. An IPv6 address with a port is in brackets. */
function separated(entry: string): { readonly name: string; readonly at: string | undefined } {
  if (isIP(entry) !== 0) return { name: entry, at: undefined };
  const [, bracketed, name = "", at] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: bracketed ?? name, at };
}
