// Connections to kubelets: always over TLS, with the server's client certificate. Source:
// pkg/kubelet/client/kubelet_client.go.
import { type DialGuard, guardedLookup, literalRefusal } from "@orch/extensions";
import { badRequest, unclassified } from "@orch/machinery";
import type { Dialer, Log } from "@orch/platform";
import type { Backend, BackendTls } from "./backend";
import type { NodeView, TargetObjects } from "./target-objects";

export interface NodeAgentOptions {
  /** The first type for which the node has an address is used. */
  readonly preferredAddressTypes: readonly string[];
  readonly connectTimeoutMs: number;
  readonly tls: NodeAgentTls;
  readonly guard: DialGuard;
  readonly dialer?: Dialer | undefined;
}

/** PEM content of the files, as they are now. */
export interface NodeAgentTls {
  /** Undefined: kubelet certificates are not verified. */
  authority(): string | undefined;
  certificate(): { readonly cert: string; readonly key: string } | undefined;
}

const DEFAULT_PORT = 10250;

export class NodeAgents {
  private warned = false;

  constructor(
    private readonly options: NodeAgentOptions,
    private readonly objects: TargetObjects,
    private readonly logger: Log,
  ) {}

  /**
   * @param verified false when the client requested to skip the verification of the certificate
   * @throws StatusError NotFound (404); BadRequest (400) for an address that the guard refuses; 500 for a node without
   * a usable address
   */
  async of(node: string, verified = true): Promise<Backend> {
    const { preferredAddressTypes, connectTimeoutMs, guard, dialer } = this.options;
    const view = await this.objects.node(node);
    const at = { host: preferredAddress(view, preferredAddressTypes), port: agentPort(view) };
    const reason = await literalRefusal(guard, at);
    if (reason !== undefined)
      throw badRequest(`address not allowed: the agent of node ${JSON.stringify(node)}: ${reason}`);
    return {
      scheme: "https",
      ...at,
      lookup: guardedLookup(guard, at.port),
      tls: this.tls(verified),
      connectTimeoutMs,
      dialer,
    };
  }

  private tls(verified: boolean): BackendTls {
    const { tls } = this.options;
    const ca = verified ? tls.authority() : undefined;
    if (verified && ca === undefined && !this.warned) {
      this.warned = true;
      this.logger.warn(
        "the serving certificates of node agents are not verified: --nodeagent-certificate-authority is not set",
      );
    }
    return {
      ...tls.certificate(),
      ...(ca === undefined ? { rejectUnauthorized: false } : { ca, allowPartialTrustChain: true }),
    };
  }
}

/** @throws StatusError (500) when the node has no address of these types */
export function preferredAddress({ status }: NodeView, types: readonly string[]): string {
  const addresses = status?.addresses ?? [];
  for (const type of types) {
    const found = addresses.find((each) => each.type === type && each.address !== "");
    if (found !== undefined) return found.address;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
  throw unclassified(`no preferred addresses found; known addresses: [${known}]`);
}

export const agentPort = ({ status }: NodeView): number =>
  status?.daemonEndpoints?.kubeletEndpoint?.Port || DEFAULT_PORT;
