// Values without encryption. A value that begins with the encryption marker is not treated as one of these; see
// value-providers.ts.
import type { EncryptionProvider } from "./provider";

export const IDENTITY: EncryptionProvider = {
  prefix: undefined,
  encrypt: (plain) => plain,
  decrypt: (payload) => ({ plain: payload, isStale: false }),
  close() {},
};
