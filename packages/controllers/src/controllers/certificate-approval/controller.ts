import { defineController } from "../../framework/controller";
import { approveRequests } from "./approve-requests";

export const certificateApprovalController = defineController({
  name: "csrapproving",
  alias: "certificatesigningrequest-approving-controller",
  does: "approves the certificate signing requests of kubelets",
  // Many nodes may join at once, and each request takes up to three requests here.
  rateFactor: 10,
  needs: { group: "certificates", resource: "certificatesigningrequests" },
  flags: {},
  run: (context, _options, signal) => approveRequests(context, signal),
});
