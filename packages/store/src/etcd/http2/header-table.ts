// The header fields that both sides know by number: fixed ones, then those that were sent lately, newest first. Source: RFC 7541,
// section 2.3 and appendix A.

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** Names, and values where they have one, in the order of their numbers from 1 on. */
const FIXED: readonly HeaderField[] = [
  ":authority",
  ":method GET",
  ":method POST",
  ":path /",
  ":path /index.html",
  ":scheme http",
  ":scheme https",
  ...["200", "204", "206", "304", "400", "404", "500"].map((status) => `:status ${status}`),
  "accept-charset",
  "accept-encoding gzip, deflate",
  ..."accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control".split(
    " ",
  ),
  ..."content-disposition content-encoding content-language content-length content-location content-range".split(" "),
  ..."content-type cookie date etag expect expires from host if-match if-modified-since if-none-match".split(" "),
  ..."if-range if-unmodified-since last-modified link location max-forwards proxy-authenticate".split(" "),
  ..."proxy-authorization range referer refresh retry-after server set-cookie strict-transport-security".split(" "),
  ..."transfer-encoding user-agent vary via www-authenticate".split(" "),
].map((entry) => {
  const [name = "", ...value] = entry.split(" ");
  return { name, value: value.join(" ") };
});

/** What each entry counts beside its texts. */
const ENTRY_BYTES = 32;

export class HeaderTable {
  readonly #recent: HeaderField[] = [];
  readonly #limitBytes: number;
  #maxBytes: number;
  #bytes = 0;

  /** @param limitBytes what was agreed on; the sender may use less */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#maxBytes = limitBytes;
  }

  /** @throws RangeError for a number that stands for nothing */
  get(number: number): HeaderField {
    const field = number <= FIXED.length ? FIXED[number - 1] : this.#recent[number - FIXED.length - 1];
    if (field === undefined) throw new RangeError(`no header field has the number ${number}`);
    return field;
  }

  add(field: HeaderField): void {
    this.#recent.unshift(field);
    this.#bytes += sizeOf(field);
    this.#shrink();
  }

  /** @throws RangeError for more than was agreed on */
  resize(maxBytes: number): void {
    if (maxBytes > this.#limitBytes) throw new RangeError(`a header table of ${maxBytes} bytes was not agreed on`);
    this.#maxBytes = maxBytes;
    this.#shrink();
  }

  #shrink(): void {
    while (this.#bytes > this.#maxBytes) this.#bytes -= sizeOf(this.#recent.pop() as HeaderField);
  }
}

const sizeOf = ({ name, value }: HeaderField): number => name.length + value.length + ENTRY_BYTES;
