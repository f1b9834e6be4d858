// Version of the product, which the User-Agent header carries.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
  readonly version: string;
};

export const PROGRAM_VERSION = version;
