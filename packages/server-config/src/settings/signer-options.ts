// Options of the external signer of service account tokens. Source: pkg/controlplane/apiserver/options/validation.go.
import type { FeatureGates } from "../flags/feature-gates";
import type { ServerConfig } from "../flags/server-flags";

const OPTION = "service-account-signing-endpoint";
const ABSTRACT_SOCKET = /^@([\w-]+\.)*[\w-]+$/;

export function signerOptionErrors(
  config: ServerConfig,
  gates: Pick<FeatureGates, "ExternalServiceAccountTokenSigner">,
): string[] {
  const socket = config[OPTION];
  if (socket === "") return [];
  const errors: string[] = [];
  if (config["service-account-signing-key-file"] !== "" || config["service-account-key-file"].length > 0) {
    errors.push(
      `--${OPTION} excludes --service-account-signing-key-file and --service-account-key-file: the signer has the keys`,
    );
  }
  if (!gates.ExternalServiceAccountTokenSigner) {
    errors.push(`--${OPTION} requires the feature gate ExternalServiceAccountTokenSigner`);
  }
  if (socket.startsWith("@") && !ABSTRACT_SOCKET.test(socket)) {
    errors.push(`--${OPTION}: ${JSON.stringify(socket)} is not the name of an abstract socket`);
  }
  return errors;
}
