// ServiceAccount plugin: sets the pod's service account, which must exist, and adds its token and image pull secrets.
// Source: plugin/pkg/admission/serviceaccount/admission.go.
import { objectAt } from "@orch/apis";
import { type AdmissionRequest, copyJson, isReason, type MutableAdmissionRequest, metaOf } from "@orch/machinery";
import { compareReleases, type JsonObject } from "@orch/schema";
import type { MaybePromise } from "../../contract/dependencies";
import { definePlugin } from "../../contract/plugin";
import { forbidden } from "../../contract/refusal";
import { AccountLookup } from "./account-lookup";
import { AccountTokens } from "./account-tokens";
import { isMirror, mirrorProblem } from "./mirror-pod";
import { enforcesReferences, referenceProblem } from "./secret-references";
import { mountsToken, mountToken } from "./token-mount";

/** Release since which pods get bound tokens that expire with them. Earlier releases mount the token of a Secret. */
const BOUND_TOKENS_SINCE = "1.21";
const DEFAULT_ACCOUNT = "default";

export const serviceAccount = definePlugin({
  name: "ServiceAccount",
  reads: ["vocabulary", "release", "objects", "pauses", "randomness"],
  make({ vocabulary, release, objects, pauses, randomness }) {
    const accounts = new AccountLookup({ objects, pauses, randomness, keepTrying: DEFAULT_ACCOUNT });
    const tokens = new AccountTokens({ vocabulary, objects });
    const bound = compareReleases(release, BOUND_TOKENS_SINCE) >= 0;

    function complete(request: MutableAdmissionRequest, spec: JsonObject, account: JsonObject): void | Promise<void> {
      if (mountsToken(spec, account)) {
        if (!bound) return giveSecret(request, spec, account);
        mountToken(spec, { kind: "bound" }, { vocabulary, randomness });
      }
      finish(request, spec, account);
    }

    async function giveSecret(request: AdmissionRequest, spec: JsonObject, account: JsonObject): Promise<void> {
      mountToken(spec, { kind: "secret", name: await tokens.required(account) }, { vocabulary, randomness });
      finish(request, spec, account);
    }

    function finish(request: AdmissionRequest, spec: JsonObject, account: JsonObject): void {
      const { imagePullSecrets } = account;
      if (isEmpty(spec["imagePullSecrets"]) && Array.isArray(imagePullSecrets) && imagePullSecrets.length > 0) {
        spec["imagePullSecrets"] = copyJson(imagePullSecrets);
      }
      judge(request, spec, account);
    }

    function judge(request: AdmissionRequest, spec: JsonObject, account: JsonObject): void {
      if (!enforcesReferences(account, vocabulary)) return;
      const problem = referenceProblem(spec, account);
      if (problem !== undefined) throw forbidden(request, problem);
    }

    function accountOf(request: AdmissionRequest, spec: JsonObject): MaybePromise<JsonObject> {
      const name = String(spec["serviceAccountName"] ?? "");
      const found = accounts.find({ namespace: request.namespace, name }, request.signal);
      return found instanceof Promise ? found.catch((error: unknown) => lookupFailed(request, name, error)) : found;
    }

    return {
      on: [{ operations: ["CREATE"], resources: [{ group: "", plural: "pods", subresource: "" }] }],
      mutate(request) {
        const pod = request.object ?? {};
        const spec = objectAt(pod, "spec");
        if (isMirror(pod, vocabulary)) return refuseMirror(request, pod);
        if (!spec["serviceAccountName"]) {
          spec["serviceAccountName"] = DEFAULT_ACCOUNT;
          spec["serviceAccount"] = DEFAULT_ACCOUNT;
        }
        const account = accountOf(request, spec);
        return account instanceof Promise
          ? account.then((found) => complete(request, spec, found))
          : complete(request, spec, account);
      },
      validate(request) {
        const pod = request.object ?? {};
        const spec = objectAt(pod, "spec");
        if (isMirror(pod, vocabulary)) return refuseMirror(request, pod);
        const account = accountOf(request, spec);
        return account instanceof Promise
          ? account.then((found) => judge(request, spec, found))
          : judge(request, spec, account);
      },
    };
  },
});

function refuseMirror(request: AdmissionRequest, pod: JsonObject): void {
  const problem = mirrorProblem(objectAt(pod, "spec"), metaOf(pod).namespace ?? request.namespace);
  if (problem !== undefined) throw forbidden(request, problem);
}

/**
 * @throws StatusError Forbidden (403) that says why the account is not found; any other error of the lookup as it is
 */
function lookupFailed(request: AdmissionRequest, name: string, error: unknown): never {
  if (!isReason(error, "NotFound")) throw error;
  const { namespace } = request;
  throw forbidden(request, `error looking up service account ${namespace}/${name}: ${error.message}`);
}

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
