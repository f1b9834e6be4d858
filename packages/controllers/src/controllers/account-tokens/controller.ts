import { parseSigningKey } from "@orch/auth";
import { section } from "@orch/machinery";
import { readOptionFile } from "@orch/platform";
import { defineController } from "../../framework/controller";
import { followedFile } from "../../framework/followed-file";
import { ROOT_AUTHORITY_FLAGS, rootAuthority } from "../../framework/root-authority";
import { keepAccountTokens } from "./keep-account-tokens";

const KEY = "service-account-private-key-file";

export const accountTokensController = defineController({
  name: "serviceaccount-token",
  alias: "serviceaccount-token-controller",
  does: "keeps the tokens of service accounts in their secrets",
  rateFactor: 10,
  flags: {
    ...section("Service accounts", {
      [KEY]: {
        type: "string",
        default: "",
        help: "PEM file of the private key that signs tokens kept in secrets, as API servers know it; empty: none are made",
      },
      "concurrent-serviceaccount-token-syncs": {
        type: "int",
        default: "5",
        min: 1,
        help: "service accounts, and secrets, seen to at once",
      },
    } as const),
    ...ROOT_AUTHORITY_FLAGS,
  },
  async run(context, options, signal) {
    const file = options[KEY];
    if (file === "") {
      context.client.log.info("no tokens are kept in secrets", { option: KEY });
      return;
    }
    const { log } = context.client;
    const key = followedFile({ file, log }, () => parseSigningKey(readOptionFile(KEY, file)));
    const authority = rootAuthority(options, context.trusted, log);
    const workers = options["concurrent-serviceaccount-token-syncs"];
    await keepAccountTokens({ ...context, workers, key, authority }, signal);
  },
});
