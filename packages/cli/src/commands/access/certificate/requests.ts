// The certificate signing requests of a server.
import type { DiscoveredResource, ResourceClient } from "@orch/client";
import type { Session } from "../../../session/session";

export interface SigningRequest {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string; readonly creationTimestamp?: string };
  readonly spec: {
    /** PEM in base64. */
    readonly request: string;
    readonly signerName?: string;
    readonly username?: string;
    readonly usages?: readonly string[];
    readonly expirationSeconds?: number;
  };
  readonly status?: {
    readonly conditions?: readonly RequestCondition[];
    /** PEM in base64. */
    readonly certificate?: string;
  };
}

export interface RequestCondition {
  readonly type: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export async function signingRequests(
  session: Session,
): Promise<{ readonly type: DiscoveredResource; readonly requests: ResourceClient<SigningRequest> }> {
  const type = await (await session.catalog()).forName("certificatesigningrequests");
  const client = await session.client();
  return { type, requests: client.resource(type) as unknown as ResourceClient<SigningRequest> };
}

export const conditionOf = ({ status }: SigningRequest, type: string): RequestCondition | undefined =>
  status?.conditions?.find((each) => each.type === type);
