// Options that concern several API servers of one cluster. Source: Kubernetes documentation, "kube-apiserver"; KEP-1965,
// KEP-4355.
import { type FlagTable, section } from "@orch/machinery";

export const REPLICA_FLAGS = section("Replicas", {
  "identity-lease-duration-seconds": {
    type: "int",
    default: "3600",
    min: 1,
    help: "duration of this server's identity lease in seconds; servers delete the leases that expired (APIServerIdentity)",
  },
  "identity-lease-renew-interval-seconds": {
    type: "int",
    default: "10",
    min: 1,
    help: "renewal interval of this server's identity lease in seconds; must be shorter than its duration",
  },
  "coordinated-leadership-lease-duration": {
    type: "duration",
    default: "15s",
    min: 1,
    help: "duration of the lease that selects the server which elects leaders for other programs (CoordinatedLeaderElection)",
  },
  "coordinated-leadership-renew-deadline": {
    type: "duration",
    default: "10s",
    min: 1,
    help: "time within which that server must renew the lease; must be shorter than its duration",
  },
  "coordinated-leadership-retry-period": {
    type: "duration",
    default: "2s",
    min: 1,
    help: "time between attempts to acquire or renew that lease",
  },
  "peer-ca-file": {
    type: "string",
    default: "",
    help: "file with the CAs of the other API servers' serving certificates: requests for resources that only a server of another release serves are forwarded to it (UnknownVersionInteroperabilityProxy); needs --proxy-client-cert-file; empty: nothing is forwarded",
  },
  "peer-advertise-ip": {
    type: "ip",
    default: "",
    help: "IP address at which the other API servers reach this one; empty: the advertised address",
  },
  "peer-advertise-port": {
    type: "int",
    default: "0",
    min: 0,
    max: 65535,
    help: "port at which the other API servers reach this one; 0: --secure-port",
  },
}) satisfies FlagTable;
