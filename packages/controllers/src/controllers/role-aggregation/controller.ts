import { defineController } from "../../framework/controller";
import { aggregateRoles } from "./aggregate-roles";

export const roleAggregationController = defineController({
  name: "clusterrole-aggregation",
  alias: "clusterrole-aggregation-controller",
  does: "aggregates the rules of cluster roles",
  needs: { group: "rbac", resource: "clusterroles" },
  flags: {},
  run: (context, _options, signal) => aggregateRoles(context, signal),
});
