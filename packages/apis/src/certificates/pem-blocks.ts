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

/**
 * Yields the blocks in order. Text outside of them is ignored. The text is read as far as the blocks that the caller
 * takes, and no part of it twice.
 */
export function* pemBlocks(text: string): Generator<PemBlock, void, undefined> {
  const endings = new Endings(text);
  let from = 0;
  for (const begin of text.matchAll(BEGIN)) {
    const [line, label = ""] = begin;
    if (begin.index < from) continue;
    const start = begin.index + line.length;
    const end = endings.after(start, label);
    if (end === undefined) continue;
    yield blockOf(label, text.slice(start, end));
    from = end;
  }
}

/** Returns the first block; undefined when there is none. */
export const firstPemBlock = (text: string): PemBlock | undefined => pemBlocks(text).next().value ?? undefined;

/** Positions of the ends in a text, found on demand and asked for in ascending order. */
class Endings {
  private readonly unread: Iterator<RegExpMatchArray>;
  /** Positions that have been found and not passed, by label. */
  private readonly found = new Map<string, Places>();

  constructor(text: string) {
    this.unread = text.matchAll(END);
  }

  /** Returns the first position at or after the start that ends a block with this label. */
  after(start: number, label: string): number | undefined {
    const places = this.placesOf(label);
    for (;;) {
      const place = places.after(start);
      if (place !== undefined) return place;
      const { done, value } = this.unread.next();
      if (done) return undefined;
      this.placesOf(value[1] ?? "").add(value.index ?? 0);
    }
  }

  private placesOf(label: string): Places {
    let places = this.found.get(label);
    if (places === undefined) {
      places = new Places();
      this.found.set(label, places);
    }
    return places;
  }
}

/** Positions of the ends with one label. */
class Places {
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

function blockOf(label: string, body: string): PemBlock {
  const hasHeaders = body.includes(":");
  const content = hasHeaders ? body.slice(body.search(HEADERS_END)) : body;
  return { label, hasHeaders, bytes: Buffer.from(content.replace(/\s+/g, ""), "base64") };
}
