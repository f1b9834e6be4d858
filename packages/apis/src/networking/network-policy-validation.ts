// Validation of network policies. Source: pkg/apis/networking/validation/validation.go.
import { BlockList } from "node:net";
import {
  all,
  type Cidr,
  each,
  fields,
  isExact,
  labelSelector,
  oneOf,
  parseCidr,
  portNumberOrName,
  type Rule,
  required,
  validator,
} from "@orch/apis-model";
import type { networkingV1 } from "@orch/schema";

const PORT_MAX = 65535;

/** Checks the last port of a range. Source: KEP-2079, "Network Policy to support Port Ranges". */
const endPort: Rule<networkingV1.NetworkPolicyPort> = ({ port, endPort: last }, at, report) => {
  if (last === undefined || !report.features.since("1.22")) return;
  const place = at.field("endPort");
  if (port === undefined) report.invalid(place, last, "may not be specified when `port` is not specified");
  else if (typeof port === "string") report.invalid(place, last, "may not be specified when `port` is non-numeric");
  else {
    if (last < port) report.invalid(place, last, "must be greater than or equal to `port`");
    if (last < 1 || last > PORT_MAX) report.invalid(place, last, `must be between 1 and ${PORT_MAX}`);
  }
};

const port = all<networkingV1.NetworkPolicyPort>(
  fields<networkingV1.NetworkPolicyPort>({ protocol: oneOf("TCP", "UDP", "SCTP"), port: portNumberOrName }),
  endPort,
);

const block: Rule<networkingV1.IPBlock> = all<networkingV1.IPBlock>(
  fields<networkingV1.IPBlock>({
    cidr: required((text, at, report) => {
      if (parseCidr(text) === undefined) report.invalid(at, text, "not a valid CIDR");
    }),
  }),
  ({ cidr, except = [] }, at, report) => {
    const whole = parseCidr(cidr);
    if (whole === undefined && isExact(report)) return;
    except.forEach((text, position) => {
      const part = parseCidr(text);
      const place = at.field("except").item(position);
      if (part === undefined) report.invalid(place, text, "not a valid CIDR");
      else if (whole !== undefined && !isSubnet(part, whole)) {
        report.invalid(place, text, "must be a strict subset of `cidr`");
      }
    });
  },
);

const peer: Rule<networkingV1.NetworkPolicyPeer> = (value, at, report) => {
  const { podSelector, namespaceSelector, ipBlock } = value;
  if (podSelector === undefined && namespaceSelector === undefined && ipBlock === undefined) {
    report.required(at, "must specify a peer");
  } else if (ipBlock !== undefined && (podSelector !== undefined || namespaceSelector !== undefined)) {
    report.forbidden(at, "may not specify both ipBlock and another peer");
  }
  peerParts(value, at, report);
};

const peerParts = fields<networkingV1.NetworkPolicyPeer>({
  podSelector: labelSelector,
  namespaceSelector: labelSelector,
  ipBlock: block,
});

const POLICY_TYPES = ["Egress", "Ingress"];

const policyTypes: Rule<readonly string[]> = all(
  (types, at, report) => {
    if (types.length > POLICY_TYPES.length) {
      report.invalid(at, types, `may not specify more than ${POLICY_TYPES.length} policy types`);
    }
  },
  each(oneOf(...POLICY_TYPES)),
);

export const validateNetworkPolicy = validator(
  fields<networkingV1.NetworkPolicy>({
    spec: fields<networkingV1.NetworkPolicySpec>({
      podSelector: labelSelector,
      ingress: each(fields<networkingV1.NetworkPolicyIngressRule>({ ports: each(port), from: each(peer) })),
      egress: each(fields<networkingV1.NetworkPolicyEgressRule>({ ports: each(port), to: each(peer) })),
      policyTypes,
    }),
  }),
);

/** Returns whether a CIDR is a strict subset of another. */
function isSubnet(part: Cidr, whole: Cidr): boolean {
  if (part.family !== whole.family || part.prefixLength <= whole.prefixLength) return false;
  const family = whole.family === "IPv4" ? "ipv4" : "ipv6";
  const blocks = new BlockList();
  blocks.addSubnet(whole.address, whole.prefixLength, family);
  return blocks.check(part.address, family);
}
