// Every path of the API that this server serves: the resources that are stored, what is done to them, and what is only answered.
import { setTimeout as pause } from "node:timers/promises";
import { virtualResources } from "@orch/apis";
import { deprecationWarning } from "@orch/machinery";
import type { Schema, Vocabulary } from "@orch/schema";
import type { Settings } from "../flags/settings";
import { actionHandlers } from "../handlers/actions/action-handlers";
import { VIRTUAL_HANDLERS } from "../handlers/virtual/virtual-handlers";
import { ResourceRoutes } from "../routes/resource-route";
import { type ComponentParts, componentStatuses } from "./component-statuses";
import type { ResourceStorages } from "./resource-storages";

export interface RouteParts {
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly schema: Schema;
  readonly storages: ResourceStorages;
  readonly components: ComponentParts;
}

export function servedRoutes({ settings, vocabulary, schema, storages, components }: RouteParts): ResourceRoutes {
  const { release } = settings;
  const routes = new ResourceRoutes({
    enabled: settings.runtime.enabled,
    deprecation(served) {
      const warning = deprecationWarning(served, release);
      return warning === undefined ? undefined : { warning, removedRelease: served.lifecycle?.removed ?? "" };
    },
  });
  const { pods, budgets } = storages;
  const actions = actionHandlers({ budgets, vocabulary, now: Date.now, pause: (ms) => pause(ms) });
  for (const storage of storages.all) {
    routes.add(storage);
    routes.addActions(storage, actions);
  }
  for (const definition of virtualResources(vocabulary, schema, { release })) {
    const act = actions[definition.plural];
    if (act !== undefined) routes.addActionResource(definition, pods, act);
    if (definition.kind === "ComponentStatus") routes.add(componentStatuses(definition, components));
    const answer = VIRTUAL_HANDLERS[definition.plural];
    if (answer !== undefined) routes.addVirtual(definition, answer);
  }
  return routes;
}
