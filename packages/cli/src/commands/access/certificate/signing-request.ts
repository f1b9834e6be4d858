// Keys and PKCS#10 requests for certificates, and the subject of a request. Source: RFC 2986, section 4.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import {
  DER_TAG,
  derBitString,
  derExtension,
  derObjectIdentifier,
  derPositiveInteger,
  derSequence,
  derSet,
  derText,
  derUtf8,
  derValue,
  derValues,
  objectIdentifier,
  pem,
  signatureScheme,
} from "@orch/platform";

export interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
}

const OID = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  extensions: "1.2.840.113549.1.9.14",
  names: "2.5.29.17",
};
const DNS_NAME = 0x82;
const ADDRESS = 0x87;
const LABEL = "CERTIFICATE REQUEST";

/** Generates a P-256 key. @returns PEM, PKCS#8 */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

/** Returns a request, signed with the key. @param key PEM */
export function signingRequest(key: string, { commonName, organizations, names }: RequestedSubject): string {
  const privateKey = createPrivateKey(key);
  const { algorithm, digest } = signatureScheme(privateKey);
  const attribute = (type: string, value: string) => derSet(derSequence(derObjectIdentifier(type), derUtf8(value)));
  const body = derSequence(
    derPositiveInteger(Buffer.from([0])),
    derSequence(
      ...organizations.map((each) => attribute(OID.organization, each)),
      attribute(OID.commonName, commonName),
    ),
    publicKeyOf(privateKey),
    derValue(DER_TAG.context0, ...(names.length === 0 ? [] : [extensionRequest(names)])),
  );
  return pem(LABEL, derSequence(body, algorithm, derBitString(sign(digest, body, privateKey))));
}

function extensionRequest(names: readonly string[]): Buffer {
  const each = names.map((name) =>
    isIPv4(name) || isIPv6(name) ? derValue(ADDRESS, addressBytes(name)) : derValue(DNS_NAME, Buffer.from(name)),
  );
  const extension = derExtension(OID.names, derSequence(...each));
  return derSequence(derObjectIdentifier(OID.extensions), derSet(derSequence(extension)));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  // The URL parser writes the address in its shortest form, also one that ends with an IPv4 address.
  const [front = "", back] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const words = (text: string) => (text === "" ? [] : text.split(":"));
  const [first, last] = [words(front), words(back ?? "")];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return Buffer.from([...first, ...zeros, ...last].map((word) => word.padStart(4, "0")).join(""), "hex");
}

const publicKeyOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: "spki", format: "der" });

/** Tells whether a request is for a key. @param request PEM @param key PEM */
export function isRequestOf(request: string, key: string): boolean {
  return bytesOf(request).includes(publicKeyOf(createPrivateKey(key)));
}

/** Returns the subject of a request, such as `CN=ann,O=dev`; "" when it cannot be read. @param request PEM */
export function subjectText(request: string): string {
  try {
    const [whole] = derValues(bytesOf(request));
    const [body] = derValues(whole?.content ?? Buffer.alloc(0));
    const [, subject] = derValues(body?.content ?? Buffer.alloc(0));
    const parts = derValues(subject?.content ?? Buffer.alloc(0)).flatMap((set) => {
      const [attribute] = derValues(set.content);
      const [type, value] = derValues(attribute?.content ?? Buffer.alloc(0));
      const oid = objectIdentifier(type?.content ?? Buffer.alloc(0));
      const name = oid === OID.commonName ? "CN" : oid === OID.organization ? "O" : oid;
      return [`${name}=${derText(value)}`];
    });
    return parts.reverse().join(",");
  } catch {
    return "";
  }
}

const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll(/-----[^-]*-----|\s/g, ""), "base64");
