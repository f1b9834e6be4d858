// The seam that every value passes on its way into and out of the store.

export interface ValueCodec {
  encode(json: Buffer): Buffer;
  /** @throws Error for bytes that no codec wrote */
  decode(stored: Buffer): Buffer;
}

export const plainValues: ValueCodec = { encode: (json) => json, decode: (stored) => stored };
