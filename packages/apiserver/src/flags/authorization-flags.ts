// Options of authorization: may they. Source: access-control, "Authorization"; facts, flags.json.
import { type FlagTable, section } from "@orch/machinery";

const AUTHORIZATION_MODES = ["AlwaysAllow", "AlwaysDeny", "RBAC"] as const;

export const AUTHORIZATION_FLAGS = section("Authorization", {
  "authorization-mode": {
    type: "strings",
    default: "AlwaysAllow",
    oneOf: AUTHORIZATION_MODES,
    help: "asked in this order until one has an opinion",
  },
}) satisfies FlagTable;
