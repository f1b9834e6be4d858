// `GET /debug/clients`: requests and open streams by client since the start of this server.
import { answerJson } from "@orch/http-server";
import type { ActiveRequests } from "../pipeline/active-requests";
import type { ClientTally } from "../pipeline/client-tally";
import type { PathHandler } from "./dispatch";

/** Answers `{clients}`, the client with the most requests first. */
export function clientReport(clients: ClientTally, active: Pick<ActiveRequests, "longRunning">): PathHandler {
  return (_request, response) => {
    answerJson(response, 200, { clients: clients.report(active.longRunning()) }, 2);
  };
}
