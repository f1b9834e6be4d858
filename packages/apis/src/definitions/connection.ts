// Builds the connect subresources of the server from their tables.

import type { ConnectionRules } from "@orch/apis-model";
import type { Connection } from "@orch/machinery";
import type { Schema } from "@orch/schema";
import { BodyVersion } from "./body-version";

export function connectionOf(rules: ConnectionRules, schema: Schema): Connection {
  const core = (kind: string) => new BodyVersion(schema, { group: "", version: "v1", kind });
  const options = core(rules.options);
  switch (rules.passes) {
    case "text":
      return { ...READ, takesPath: false, connects: false, shows: core(rules.shows), options };
    case "streams":
      return { ...STREAMS, takesPath: false, connects: true, shows: options, options };
    case "requests":
      return { ...REQUESTS, takesPath: true, connects: true, shows: options, options };
  }
}

const READ = { verbs: ["get"], methods: ["GET"] } as const;
const STREAMS = { verbs: ["create", "get"], methods: ["GET", "POST"] } as const;
const REQUESTS = {
  verbs: ["create", "delete", "get", "patch", "update"],
  methods: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"],
} as const;
