// Reads and validates the file of `--egress-selector-config-file`. Sources: Kubernetes documentation, "Set up Konnectivity
// service"; staging/src/k8s.io/apiserver/pkg/server/egressselector/config.go.
import { apiVersionsIn, ConfigurationError, ConfigurationFields, field, readDocument } from "@orch/machinery";
import { EGRESS_NETWORKS, type EgressNetwork } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";

/** A proxy that connects by the method CONNECT. */
export type ProxySettings =
  | { readonly kind: "tcp"; readonly url: URL; readonly tls: ProxyTls | undefined }
  | { readonly kind: "uds"; readonly path: string };

/** Files of a TLS connection to a proxy. */
export interface ProxyTls {
  /** "": the trusted certificates of the system. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** "": the host of the URL. */
  readonly serverName: string;
}

/** Proxies by network; undefined as a value: connections are direct. */
export type EgressConfiguration = ReadonlyMap<EgressNetwork, ProxySettings | undefined>;

const KIND = "EgressSelectorConfiguration";
const VERSIONS = { v1beta1: { since: "1.20" }, v1alpha1: { since: "1.16" } } as const;
const FORMER_NAMES: Readonly<Record<string, EgressNetwork>> = { master: "controlplane" };
const PROTOCOLS = ["Direct", "HTTPConnect"];
/** The names of networks are few, and none may repeat. */
const SELECTIONS_MAX = 16;

/** @param text YAML or JSON @throws ConfigurationError */
export async function readEgress(text: string, vocabulary: Vocabulary, release: string): Promise<EgressConfiguration> {
  const document = await readDocument(text, vocabulary);
  const reading = new Reading();
  const read = reading.configuration(document, vocabulary, release);
  if (reading.lines.length > 0) throw new ConfigurationError(reading.lines);
  return read;
}

class Reading extends ConfigurationFields {
  configuration(document: JsonObject, { groups }: Vocabulary, release: string): EgressConfiguration {
    this.versioned(document, { kind: KIND, supported: apiVersionsIn(groups.apiserver, VERSIONS, release) });
    this.known(document, "", ["apiVersion", "kind", "egressSelections"]);
    const isFormer = document["apiVersion"] === `${groups.apiserver}/v1alpha1`;
    const selections = this.objects(document, "egressSelections", "");
    if (selections.length > SELECTIONS_MAX)
      this.wrong(field.tooMany("egressSelections", { count: selections.length, max: SELECTIONS_MAX }));
    const found = new Map<EgressNetwork, ProxySettings | undefined>();
    for (const [index, selection] of selections.slice(0, SELECTIONS_MAX).entries()) {
      const at = `egressSelections[${index}]`;
      this.known(selection, at, ["name", "connection"]);
      const connection = this.connection(this.object(selection, "connection", at) ?? {}, `${at}.connection`);
      const given = this.text(selection, "name", at).toLowerCase();
      const name = (isFormer && FORMER_NAMES[given]) || given;
      const network = EGRESS_NETWORKS.find((each) => each === name);
      if (network === undefined) this.wrong(field.notSupported(`${at}.name`, given, [...EGRESS_NETWORKS].sort()));
      else if (found.has(network)) this.wrong(field.duplicate(`${at}.name`, given));
      else found.set(network, connection);
    }
    return found;
  }

  private connection(connection: JsonObject, at: string): ProxySettings | undefined {
    this.known(connection, at, ["proxyProtocol", "transport"]);
    const protocol = this.text(connection, "proxyProtocol", at);
    const transport = this.object(connection, "transport", at);
    const place = `${at}.transport`;
    switch (protocol) {
      case "Direct":
        if (transport !== undefined)
          this.wrong(field.invalid(place, "direct", "config must be absent for direct connect"));
        return undefined;
      case "HTTPConnect":
        if (transport !== undefined) return this.transport(transport, place);
        this.wrong(field.required(place, "transport must be set for HTTPConnect"));
        return undefined;
      default:
        this.wrong(field.notSupported(`${at}.proxyProtocol`, protocol, PROTOCOLS));
        return undefined;
    }
  }

  private transport(transport: JsonObject, at: string): ProxySettings | undefined {
    this.known(transport, at, ["tcp", "uds"]);
    const tcp = this.object(transport, "tcp", at);
    const uds = this.object(transport, "uds", at);
    if (tcp !== undefined && uds !== undefined) {
      this.wrong(field.invalid(`${at}.tcp`, "<omitted>", "TCP and UDS cannot both be set"));
      return undefined;
    }
    if (tcp !== undefined) return this.tcp(tcp, `${at}.tcp`);
    if (uds !== undefined) return this.uds(uds, `${at}.uds`);
    this.wrong(field.required(`${at}.tcp`, "One of TCP or UDS must be set"));
    return undefined;
  }

  private uds(uds: JsonObject, at: string): ProxySettings {
    this.known(uds, at, ["udsName"]);
    const path = this.text(uds, "udsName", at);
    if (path === "") this.wrong(field.invalid(`${at}.udsName`, "nil", "must be present for UDS connections"));
    return { kind: "uds", path };
  }

  private tcp(tcp: JsonObject, at: string): ProxySettings | undefined {
    this.known(tcp, at, ["url", "tlsConfig"]);
    const text = this.text(tcp, "url", at);
    const given = this.object(tcp, "tlsConfig", at);
    const place = `${at}.tlsConfig`;
    const tls = given && this.tls(given, place);
    const isSecure = text.startsWith("https://");
    if (!isSecure && !text.startsWith("http://")) {
      this.wrong(field.invalid(`${at}.url`, shown(text), "supported connection protocols are http:// and https://"));
      return undefined;
    }
    if (!isSecure && tls !== undefined)
      this.wrong(field.invalid(place, "nil", "config must not be present when using HTTP"));
    if (isSecure && tls === undefined) this.wrong(field.required(place, "TLSConfig must be present when using HTTPS"));
    if (URL.canParse(text)) return { kind: "tcp", url: new URL(text), tls };
    this.wrong(field.invalid(`${at}.url`, shown(text), "must be a URL with a host"));
    return undefined;
  }

  private tls(tls: JsonObject, at: string): ProxyTls {
    this.known(tls, at, ["caBundle", "clientKey", "clientCert", "tlsServerName"]);
    const certificate = this.text(tls, "clientCert", at);
    if (certificate === "") this.wrong(field.invalid(`${at}.clientCert`, "nil", "Using TLS requires clientCert"));
    const key = this.text(tls, "clientKey", at);
    if (key === "") this.wrong(field.invalid(`${at}.clientKey`, "nil", "Using TLS requires clientKey"));
    return {
      ca: this.text(tls, "caBundle", at),
      certificate,
      key,
      serverName: this.text(tls, "tlsServerName", at),
    };
  }
}

/** Returns the text for messages: a URL may contain a password. */
const shown = (text: string): string => (text.includes("@") ? "<omitted>" : text);
