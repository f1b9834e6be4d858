import { expect, test } from "@jest/globals";
import { defaultsOf } from "@orch/machinery";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { ownShare } from "./own-share";

const DEFAULTS = defaultsOf(SERVER_FLAGS) as ServerConfig;

const shares = (whole: number, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const config = { ...DEFAULTS, "max-requests-inflight": whole };
    return ownShare(config, { number: at + 1, count })["max-requests-inflight"];
  });

test.each([
  ["is divided", 400, 2, [200, 200]],
  ["that cannot be divided goes to the first workers", 11, 4, [3, 3, 3, 2]],
  ["of less than the workers is 1 each, for 0 would be none", 2, 4, [1, 1, 1, 1]],
  ["that there is none of is none for anybody", 0, 3, [0, 0, 0]],
])("a limit %s", (_what, whole, count, expected) => expect(shares(whole, count)).toEqual(expected));
