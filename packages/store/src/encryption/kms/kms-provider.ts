// Encryption by keys that a key management service beside this server encrypts and decrypts: it alone has what they are encrypted with.

import { systemClock } from "@orch/platform";
import type { EncryptionProvider, KmsTerms } from "../provider";
import type { KmsChannelDeps } from "./kms-channel";
import { UNOBSERVED } from "./kms-observer";

/**
 * Begins at once to ask a service of the second interface how it is; one that is not there yet is waited for.
 * The libraries that it takes are loaded only here.
 */
export function kmsProvider(terms: KmsTerms, deps: Partial<KmsChannelDeps> = {}): EncryptionProvider {
  const all = { clock: systemClock, observer: UNOBSERVED, ...deps };
  switch (terms.apiVersion) {
    case "v1": {
      const { FirstInterface } = require("./first-interface") as typeof import("./first-interface");
      return new FirstInterface(terms, all);
    }
    case "v2": {
      const { SecondInterface } = require("./second-interface") as typeof import("./second-interface");
      return new SecondInterface(terms, all);
    }
  }
}
