// A revocation file in any of its forms: CRLs in PEM or DER, and plain lines with serial numbers or hashes of public
// keys, which may stand between CRLs in PEM.

import { X509Certificate } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { certificateBlocks } from "@orch/platform";
import { readCrl } from "./read-crl";
import { RevocationList, withoutZeros } from "./revocation-list";

export interface RevocationFile {
  readonly list: RevocationList;
  /** Warnings for the operator. The entries apply nevertheless. */
  readonly warnings: readonly string[];
}

/** Some 200,000 entries. The caller checks the size before it reads the file. */
export const REVOCATION_FILE_MAX_BYTES = 8 * 1024 * 1024;

const LINES_PER_TURN = 5_000;
/** Maximum number of CRLs; one per authority suffices. */
const LISTS_MAX = 1_000;

/**
 * Reads the file.
 * @param authorities PEM of the authorities whose CRLs are verified; "" for none
 * @throws Error naming the fault and its CRL or line
 */
export async function readRevocationFile(bytes: Buffer, authorities: string, nowMs: number): Promise<RevocationFile> {
  const reader = new Reader(certificatesIn(authorities), nowMs);
  if (isDer(bytes)) await reader.readList(bytes);
  else await reader.readText(bytes.toString("latin1"));
  return reader;
}

/**
 * Returns whether the bytes are DER. The length of any real CRL takes more than one byte, and no text begins that way.
 */
const isDer = (bytes: Buffer): boolean => bytes[0] === 0x30 && (bytes[1] ?? 0) >= 0x80;

const certificatesIn = (pem: string): X509Certificate[] =>
  certificateBlocks(pem).map((block) => new X509Certificate(block));

const BEGIN = "-----BEGIN X509 CRL-----";
const END = "-----END X509 CRL-----";

class Reader implements RevocationFile {
  readonly list = new RevocationList();
  readonly warnings: string[] = [];
  private lists = 0;

  constructor(
    private readonly authorities: readonly X509Certificate[],
    private readonly nowMs: number,
  ) {}

  async readList(der: Buffer): Promise<void> {
    this.lists += 1;
    if (this.lists > LISTS_MAX) throw new Error(`more than ${LISTS_MAX} lists`);
    const which = `list ${this.lists}`;
    try {
      const { isChecked, nextUpdateMs } = await readCrl(der, this.authorities, this.list);
      if (!isChecked) this.warnings.push(`${which} is not issued by a configured CA; its signature is not verified`);
      if (nextUpdateMs !== undefined && nextUpdateMs < this.nowMs)
        this.warnings.push(`${which} is out of date since ${new Date(nextUpdateMs).toISOString()}`);
    } catch (error) {
      throw new Error(`${which}: ${(error as Error).message}`, { cause: error });
    }
  }

  async readText(text: string): Promise<void> {
    let number = 0;
    for (let at = 0; at < text.length; ) {
      const end = lineEnd(text, at);
      const line = text.slice(at, end).trim();
      number += 1;
      if (line === BEGIN) {
        const last = text.indexOf(END, end);
        if (last < 0) throw new Error(`line ${number}: a certificate revocation list is not terminated`);
        const block = text.slice(end, last);
        await this.readList(Buffer.from(block, "base64"));
        for (let next = block.indexOf("\n"); next >= 0; next = block.indexOf("\n", next + 1)) number += 1;
        at = lineEnd(text, last) + 1;
        continue;
      }
      this.readLine(line, number);
      at = end + 1;
      if (number % LINES_PER_TURN === 0) await nextTurn();
    }
  }

  private readLine(line: string, number: number): void {
    const [entry = ""] = line.split("#");
    const said = entry.trim();
    if (said === "") return;
    const digits = said.replace(/^(serial|sha256):\s*/i, "").replace(/^0x/i, "");
    const plain = digits.replaceAll(":", "").toLowerCase();
    const named = /^(serial|sha256):/i.exec(said)?.[1]?.toLowerCase();
    const isKey = named === undefined ? isHash(plain) || isBase64Hash(digits) : named === "sha256";
    if (isKey) {
      if (isHash(plain)) this.list.addPublicKey(plain);
      else if (isBase64Hash(digits)) this.list.addPublicKey(Buffer.from(digits, "base64").toString("hex"));
      else
        throw new Error(
          `line ${number}: the hash of a public key must have 64 hexadecimal digits, or 44 characters of base64`,
        );
      return;
    }
    if (!/^[0-9a-f]{1,42}$/.test(plain)) {
      throw new Error(
        `line ${number}: must be a serial number (hexadecimal, at most 21 bytes) or the SHA-256 hash of a public key`,
      );
    }
    this.list.addSerial(withoutZeros(plain));
  }
}

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const isBase64Hash = (text: string): boolean => /^[A-Za-z0-9+/]{43}=$/.test(text);

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
