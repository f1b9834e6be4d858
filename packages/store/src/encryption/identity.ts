// Values as they are. What bears the mark of encryption is not taken for one of these; see value-providers.ts.
import type { EncryptionProvider } from "./provider";

export const IDENTITY: EncryptionProvider = {
  prefix: undefined,
  encrypt: (plain) => plain,
  decrypt: (payload) => ({ plain: payload, isStale: false }),
  close() {},
};
