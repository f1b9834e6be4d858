import { defineDuty } from "../../manager/duty";
import { cleanTokens } from "./clean-tokens";

export const tokenCleaningDuty = defineDuty({
  name: "tokencleaner",
  alias: "token-cleaner-controller",
  does: "deletes tokens of machines that join once they have expired",
  offByDefault: true,
  flags: {},
  run: (context, _options, signal) => cleanTokens(context, signal),
});
