// Clients of servers in the test's own process.
import type { RunningServer } from "@orch/apiserver";
import { Client, type ClientOptions, type ConnectionSettings } from "@orch/client";

/** Settings of the user with all permissions. */
export function adminConnection(server: RunningServer): ConnectionSettings {
  const text = (value: string) => ({ kind: "text", text: value }) as const;
  return {
    server: server.url,
    tls: { ca: text(server.ca) },
    credentials: { certificate: { certificate: text(server.admin.certificate), key: text(server.admin.key) } },
    namespace: "default",
  };
}

export function adminClient(server: RunningServer, options: Partial<ClientOptions> = {}): Client {
  const unlimited = { perSecond: 0, burst: 0 };
  return new Client({ connection: adminConnection(server), program: "client-test", rateLimit: unlimited, ...options });
}
