import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { cleanLegacyTokens } from "./clean-legacy-tokens";

const PERIOD = "legacy-service-account-token-clean-up-period";

export const legacyTokensController = defineController({
  name: "legacy-service-account-token-cleaner",
  alias: "legacy-serviceaccount-token-cleaner-controller",
  does: "deletes unused, automatically created tokens of Secrets",
  since: "1.26",
  // No served release runs this controller by default.
  offByDefault: true,
  flags: section("Service accounts", {
    [PERIOD]: {
      type: "duration",
      default: "8760h",
      min: 1,
      help: "time without use after which a token of a Secret is marked invalid; after the same time again, it is deleted",
    },
  } as const),
  run: (context, options, signal) => cleanLegacyTokens({ ...context, periodMs: options[PERIOD] }, signal),
});
