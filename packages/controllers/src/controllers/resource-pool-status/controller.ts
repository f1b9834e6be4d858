import { defineController } from "../../framework/controller";
import { answerPoolRequests } from "./answer-pool-requests";

export const resourcePoolStatusController = defineController({
  name: "resourcepoolstatusrequest-controller",
  alias: "resourcepoolstatusrequest-controller",
  does: "answers requests for the status of device pools, and deletes old ones",
  since: "1.36",
  gate: "DRAResourcePoolStatus",
  needs: { group: "resource", resource: "resourcepoolstatusrequests", versions: ["v1alpha3"] },
  flags: {},
  run: (context, _options, signal) => answerPoolRequests(context, signal),
});
