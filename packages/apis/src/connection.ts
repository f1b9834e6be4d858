// From the rows of sub-resources that lead out of the server to what the server works with.
// Source: facts, http.md "Routing" and "Discovery".
import type { Connection } from "@orch/machinery";
import type { Schema } from "@orch/schema";
import { BodyVersion } from "./body-version";
import type { ConnectionRules } from "./built-in-resource";

const PROXY_METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] as const;

export function connectionOf(rules: ConnectionRules, schema: Schema): Connection {
  const core = (kind: string) => new BodyVersion(schema, { group: "", version: "v1", kind });
  switch (rules.passes) {
    case "text":
      return { verbs: ["get"], methods: ["GET"], takesPath: false, shows: core(rules.shows) };
    case "streams": {
      const options = core(rules.options);
      return { verbs: ["create", "get"], methods: ["GET", "POST"], takesPath: false, shows: options, options };
    }
    case "requests": {
      const verbs = ["create", "delete", "get", "patch", "update"] as const;
      const options = core(rules.options);
      return { verbs, methods: PROXY_METHODS, takesPath: true, shows: options, options };
    }
  }
}
