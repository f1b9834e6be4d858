// Blocks of binary data in text: `-----BEGIN CERTIFICATE-----` and so on. Source: RFC 7468, RFC 1421.

export interface PemBlock {
  readonly label: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([\s\S]*?)-----END \1-----/g;

/** In their order; text around and between them counts for nothing. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(BLOCK)].map(([, label = "", body = ""]) => {
    const hasHeaders = body.includes(":");
    const content = hasHeaders ? body.slice(body.search(/\r?\n\r?\n/)) : body;
    return { label, hasHeaders, bytes: Buffer.from(content.replace(/\s+/g, ""), "base64") };
  });
}
