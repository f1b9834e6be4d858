import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { cleanLegacyTokens } from "./clean-legacy-tokens";

const PERIOD = "legacy-service-account-token-clean-up-period";

export const legacyTokensController = defineController({
  name: "legacy-service-account-token-cleaner",
  alias: "legacy-serviceaccount-token-cleaner-controller",
  does: "deletes tokens in secrets that were made unasked and that nobody uses",
  since: "1.26",
  // No served release runs this controller by default.
  offByDefault: true,
  flags: section("Service accounts", {
    [PERIOD]: {
      type: "duration",
      default: "8760h",
      min: 1,
      help: "a token in a secret that was not used for so long is marked invalid, and deleted when it has been marked for as long",
    },
  } as const),
  run: (context, options, signal) => cleanLegacyTokens({ ...context, periodMs: options[PERIOD] }, signal),
});
