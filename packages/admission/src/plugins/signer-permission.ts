// Permission checks of users on signers. Source: plugin/pkg/admission/certificates/util.go.
import type { Authorizer } from "@orch/auth";
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { AdmittedResource } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

export interface SignerDependencies {
  readonly vocabulary: Vocabulary;
  readonly authorizer: Pick<Authorizer, "authorize">;
}

/**
 * Requires the permission on the signer's name or on all signers of its domain.
 * @throws StatusError Forbidden (403)
 */
export async function requireOnSigner(
  { vocabulary, authorizer }: SignerDependencies,
  request: AdmissionRequest,
  verb: "approve" | "sign",
): Promise<void> {
  const signer = signerOf(request.oldObject);
  for (const name of [signer, `${signer.split("/", 1)[0]}/*`]) {
    const { kind } = await authorizer.authorize({
      kind: "resource",
      user: request.user,
      verb,
      apiGroup: vocabulary.groups.certificates,
      apiVersion: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    });
    if (kind === "allow") return;
  }
  throw forbidden(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
}

/** Selects certificate signing requests. @param subresource "" for the requests themselves */
export const signingRequests = ({ groups }: Vocabulary, subresource: string): AdmittedResource => ({
  group: groups.certificates,
  plural: "certificatesigningrequests",
  subresource,
});

export function signerOf(signingRequest: JsonObject | undefined): string {
  const { signerName } = (signingRequest?.["spec"] ?? {}) as { readonly signerName?: string };
  return signerName ?? "";
}
