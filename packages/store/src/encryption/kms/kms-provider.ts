// Encryption with keys that an external key management service encrypts and decrypts. Only the service holds the key
// encryption key. Source: Kubernetes documentation, "Using a KMS provider for data encryption".

import { systemClock } from "@orch/platform";
import type { EncryptionProvider, KmsTerms } from "../provider";
import type { KmsChannelDeps } from "./kms-channel";
import { UNOBSERVED } from "./kms-observer";

/**
 * Creates a provider. It begins at once to poll the status of a v2 service, which may start later. The gRPC libraries
 * are loaded only here.
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
