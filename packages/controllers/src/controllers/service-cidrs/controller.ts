import { defineController } from "../../framework/controller";
import { keepServiceCidrs } from "./keep-service-cidrs";

export const serviceCidrsController = defineController({
  name: "service-cidr",
  alias: "service-cidr-controller",
  does: "keeps deleted ServiceCIDRs while services need them",
  since: "1.33",
  needs: { group: "networking", resource: "servicecidrs" },
  flags: {},
  run: (context, _options, signal) => keepServiceCidrs(context, signal),
});
