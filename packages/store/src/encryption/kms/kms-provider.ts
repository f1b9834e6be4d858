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
      const { KmsV1 } = require("./kms-v1") as typeof import("./kms-v1");
      return new KmsV1(terms, all);
    }
    case "v2": {
      const { KmsV2 } = require("./kms-v2") as typeof import("./kms-v2");
      return new KmsV2(terms, all);
    }
  }
}
