// Options that concern several API servers of one cluster: those that require each other.
import type { ServerConfig } from "../flags/server-flags";

/** Factor of the retry period below which a leader has no second attempt. Source: client-go, `JitterFactor`. */
const ATTEMPTS = 1.2;

export function replicaOptionErrors(config: ServerConfig): string[] {
  const errors: string[] = [];
  const identity = config["identity-lease-duration-seconds"];
  const interval = config["identity-lease-renew-interval-seconds"];
  if (interval >= identity) {
    errors.push(
      `--identity-lease-renew-interval-seconds: ${interval} must be less than --identity-lease-duration-seconds, ${identity}`,
    );
  }
  const lease = config["coordinated-leadership-lease-duration"];
  const deadline = config["coordinated-leadership-renew-deadline"];
  if (lease <= deadline) {
    errors.push(
      "--coordinated-leadership-lease-duration: must be greater than --coordinated-leadership-renew-deadline",
    );
  }
  if (deadline <= ATTEMPTS * config["coordinated-leadership-retry-period"]) {
    errors.push(
      "--coordinated-leadership-renew-deadline: must be greater than 1.2 times --coordinated-leadership-retry-period",
    );
  }
  if (config["peer-ca-file"] !== "" && config["proxy-client-cert-file"] === "")
    errors.push("--peer-ca-file requires --proxy-client-cert-file");
  return errors;
}
