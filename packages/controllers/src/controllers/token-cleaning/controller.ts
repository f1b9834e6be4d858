import { defineController } from "../../framework/controller";
import { cleanTokens } from "./clean-tokens";

export const tokenCleaningController = defineController({
  name: "tokencleaner",
  alias: "token-cleaner-controller",
  does: "deletes tokens of machines that join once they have expired",
  offByDefault: true,
  flags: {},
  run: (context, _options, signal) => cleanTokens(context, signal),
});
