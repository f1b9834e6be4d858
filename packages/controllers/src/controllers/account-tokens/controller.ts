import { parseSigningKey } from "@orch/auth";
import { section } from "@orch/machinery";
import { readOptionFile } from "@orch/platform";
import { defineController } from "../../framework/controller";
import { followedFile } from "../../framework/followed-file";
import { ROOT_AUTHORITY_FLAGS, rootAuthority } from "../../framework/root-authority";
import { reconcileAccountTokens } from "./reconcile-account-tokens";

const KEY = "service-account-private-key-file";

export const accountTokensController = defineController({
  name: "serviceaccount-token",
  alias: "serviceaccount-token-controller",
  does: "creates the tokens of service account token Secrets",
  rateFactor: 10,
  flags: {
    ...section("Service accounts", {
      [KEY]: {
        type: "string",
        default: "",
        help: "file with the PEM private key that signs tokens of Secrets; the API servers must accept it; empty: no tokens are created",
      },
      "concurrent-serviceaccount-token-syncs": {
        type: "int",
        default: "5",
        min: 1,
        help: "number of concurrent workers for service accounts and for Secrets",
      },
    } as const),
    ...ROOT_AUTHORITY_FLAGS,
  },
  async run(context, options, signal) {
    const file = options[KEY];
    if (file === "") {
      context.client.log.info("no tokens are created for Secrets", { option: KEY });
      return;
    }
    const { log } = context.client;
    const key = followedFile({ file, log }, () => parseSigningKey(readOptionFile(KEY, file)));
    const authority = rootAuthority(options, context.trusted, log);
    const workers = options["concurrent-serviceaccount-token-syncs"];
    await reconcileAccountTokens({ ...context, workers, key, authority }, signal);
  },
});
