import { defineController } from "../../framework/controller";
import { cleanTokens } from "./clean-tokens";

export const tokenCleaningController = defineController({
  name: "tokencleaner",
  alias: "token-cleaner-controller",
  does: "deletes expired bootstrap tokens",
  offByDefault: true,
  flags: {},
  run: (context, _options, signal) => cleanTokens(context, signal),
});
