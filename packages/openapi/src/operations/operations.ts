// The operations of one route. Source: staging/src/k8s.io/apiserver/pkg/endpoints/installer.go.

import type { Route } from "@orch/request";
import type { Field } from "@orch/schema";
import { connectionOperations } from "./connection-operations";
import { historyOperations } from "./history-operations";
import type { Operation } from "./operation";
import type { OperationNaming } from "./operation-names";
import { resourceOperations } from "./resource-operations";
import { subresourceOperations } from "./subresource-operations";
import { watchOperations } from "./watch-operations";

/** @param shows tells whether the release has a field */
export function operationsOf(
  route: Route,
  naming: OperationNaming,
  shows: (field: Field) => boolean,
): readonly Operation[] {
  const { connection, history } = route;
  if (connection !== undefined) return connectionOperations({ ...route, connection }, naming, shows);
  const operations =
    history !== undefined
      ? historyOperations({ ...route, history }, naming)
      : route.subresource === undefined
        ? [...resourceOperations(route, naming), ...watchOperations(route, naming)]
        : subresourceOperations(route, naming);
  return route.definition.isCustom === true ? operations.map((each) => ({ ...each, isCustom: true })) : operations;
}
