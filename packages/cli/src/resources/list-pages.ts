// The pages of a list, as a server that keeps to the protocol gives them.
import { isObject, type JsonObject } from "@orch/schema";
import { CliError } from "../process/cli-error";

/**
 * Yields the pages of a list.
 * @param read asks for the page of a continue token; "" for the first one
 * @throws CliError when the server answers two pages with the same token; otherwise as `read` does
 */
export async function* listPages(
  read: (token: string) => Promise<JsonObject>,
): AsyncGenerator<JsonObject, void, undefined> {
  let token = "";
  do {
    const page = await read(token);
    const next = continueOf(page);
    if (next !== "" && next === token)
      throw new CliError("the server answers every page of the list with the same continue token");
    yield page;
    token = next;
  } while (token !== "");
}

function continueOf({ metadata }: JsonObject): string {
  return isObject(metadata) && typeof metadata["continue"] === "string" ? metadata["continue"] : "";
}
