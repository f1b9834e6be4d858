// A text that is kept compressed, for one that is rarely read.

import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";

/** Level of compression: a megabyte takes 6 ms, and 3 ms to be read again. */
const LEVEL = 1;
/** Maximum length of a text that is compressed at once, in about 2 ms. Another thread compresses longer ones. */
const AT_ONCE_BYTES = 256 * 1024;

export class PackedText {
  private packed: Buffer | undefined;
  /** The text until it is compressed. */
  private bytes: Buffer | undefined;

  constructor(bytes: Buffer) {
    if (bytes.length <= AT_ONCE_BYTES) {
      this.packed = deflateRawSync(bytes, { level: LEVEL });
      return;
    }
    this.bytes = bytes;
    deflateRaw(bytes, { level: LEVEL }, (error, packed) => {
      if (error !== null) return;
      this.packed = packed;
      this.bytes = undefined;
    });
  }

  text(): string {
    return (this.bytes ?? inflateRawSync(this.packed as Buffer)).toString();
  }
}
