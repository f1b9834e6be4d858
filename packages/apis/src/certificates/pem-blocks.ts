// PEM blocks: `-----BEGIN CERTIFICATE-----` and so on. Source: RFC 7468, RFC 1421.

export interface PemBlock {
  readonly label: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const BEGIN = /-----BEGIN ([A-Z0-9 ]{1,64})-----\r?\n/g;
/** A lookahead, because two ends may share the dashes between them. */
const END = /-----END (?=([A-Z0-9 ]{1,64})-----)/g;
const HEADERS_END = /\r?\n\r?\n/;

/** Returns the blocks in order. Text outside of them is ignored. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const endings = endingsOf(text);
  const blocks: PemBlock[] = [];
  let from = 0;
  for (const begin of text.matchAll(BEGIN)) {
    const [line, label = ""] = begin;
    if (begin.index < from) continue;
    const start = begin.index + line.length;
    const end = endings.get(label)?.after(start);
    if (end === undefined) continue;
    blocks.push(blockOf(label, text.slice(start, end)));
    from = end;
  }
  return blocks;
}

/** Positions of the ends with one label, read in ascending order. */
class Endings {
  private readonly places: number[] = [];
  private next = 0;

  add(place: number): void {
    this.places.push(place);
  }

  after(start: number): number | undefined {
    while ((this.places[this.next] ?? start) < start) this.next += 1;
    return this.places[this.next];
  }
}

function endingsOf(text: string): ReadonlyMap<string, Endings> {
  const found = new Map<string, Endings>();
  for (const { index, 1: label = "" } of text.matchAll(END)) {
    const endings = found.get(label) ?? new Endings();
    endings.add(index);
    found.set(label, endings);
  }
  return found;
}

function blockOf(label: string, body: string): PemBlock {
  const hasHeaders = body.includes(":");
  const content = hasHeaders ? body.slice(body.search(HEADERS_END)) : body;
  return { label, hasHeaders, bytes: Buffer.from(content.replace(/\s+/g, ""), "base64") };
}
