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

type SignerVerb = "approve" | "attest" | "sign";

/**
 * Requires the permission on the signer's name or on all signers of its domain.
 * @throws StatusError Forbidden (403)
 */
export async function requireOnSigner(
  dependencies: SignerDependencies,
  request: AdmissionRequest,
  verb: SignerVerb,
): Promise<void> {
  const signer = signerOf(request.oldObject);
  if (await mayOnSigner(dependencies, request, { verb, signer })) return;
  throw forbidden(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
}

/** Returns whether the user has the permission on the signer's name or on all signers of its domain. */
export async function mayOnSigner(
  { vocabulary, authorizer }: SignerDependencies,
  { user }: Pick<AdmissionRequest, "user">,
  { verb, signer }: { readonly verb: SignerVerb; readonly signer: string },
): Promise<boolean> {
  for (const name of [signer, `${signer.split("/", 1)[0]}/*`]) {
    const { kind } = await authorizer.authorize({
      kind: "resource",
      user,
      verb,
      apiGroup: vocabulary.groups.certificates,
      apiVersion: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    });
    if (kind === "allow") return true;
  }
  return false;
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
