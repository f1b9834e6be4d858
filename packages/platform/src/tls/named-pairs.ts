// Serving certificates selected by the server name of the client (SNI): the values of `--tls-sni-cert-key`.
import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { readCertificates, readKeyOf } from "./pem-files";

/** Files of one pair, and the names from the option. */
export interface PairFiles {
  readonly certificate: string;
  readonly key: string;
  /** Empty: the names in the certificate are used. */
  readonly names: readonly string[];
}

/** One pair with its content in PEM. */
export interface NamedPair {
  readonly cert: string;
  readonly key: string;
  readonly names: readonly string[];
}

/** Parses a value of the form `certificate,key[:name,name]`. @throws Error that names the option */
export function pairFilesIn(option: string, text: string): PairFiles {
  const [files = "", names = ""] = text.split(/:(.*)/s);
  const [certificate = "", key = "", ...more] = files.split(",");
  if (certificate === "" || key === "" || more.length > 0)
    throw new Error(`--${option}: ${JSON.stringify(text)} must have the form certificate,key[:name,name]`);
  return { certificate, key, names: names.split(",").filter((name) => name !== "") };
}

/** Reads a pair. @throws Error that names the option, for a file that is unreadable or has invalid content */
export function readNamedPair(option: string, { certificate, key, names }: PairFiles): NamedPair {
  const cert = readCertificates(option, certificate);
  return { cert, key: readKeyOf(cert, option, key), names };
}

/**
 * Finds the TLS context for a server name. Names from the option precede names from certificates, earlier pairs precede
 * later ones, and exact names precede wildcards for the first label. Source:
 * staging/src/k8s.io/apiserver/pkg/server/dynamiccertificates/named_certificates.go.
 */
export class NamedContexts {
  private readonly contexts = new Map<string, SecureContext>();

  /** @param common options shared by all contexts */
  constructor(pairs: readonly NamedPair[], common: SecureContextOptions = {}) {
    const made = pairs.map(({ cert, key }) => createSecureContext({ ...common, cert, key }));
    const add = (name: string, context: SecureContext | undefined) => {
      const known = name.toLowerCase();
      if (context !== undefined && !this.contexts.has(known)) this.contexts.set(known, context);
    };
    pairs.forEach(({ names }, index) => {
      for (const name of names) add(name, made[index]);
    });
    pairs.forEach(({ cert, names }, index) => {
      if (names.length === 0) for (const name of namesIn(cert)) add(name, made[index]);
    });
  }

  /** Finds a context. @returns undefined when the default certificate applies */
  find(name: string): SecureContext | undefined {
    const known = name.toLowerCase().replace(/\.$/, "");
    return this.contexts.get(known) ?? this.contexts.get(known.replace(/^[^.]*/, "*"));
  }
}

/** Returns only DNS names: clients send no IP addresses by SNI (RFC 6066, section 3). */
function namesIn(cert: string): readonly string[] {
  const { subject, subjectAltName = "" } = new X509Certificate(cert);
  const common = /^CN=(.*)$/m.exec(subject ?? "")?.[1];
  const alternative = subjectAltName.split(", ").flatMap((each) => (each.startsWith("DNS:") ? [each.slice(4)] : []));
  return common !== undefined && /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(common)
    ? [common, ...alternative]
    : alternative;
}
