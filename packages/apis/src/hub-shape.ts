// The rules of a resource speak of one shape of it, the hub's. Where a release stores another, its objects are brought into the
// hub's shape for the rules and back: only then, so that most resources pay nothing. Source: resource-api, "Deprecation rules" 2, 4b.
import { copyJson, type ResourceDefinition, type Strategy, type Subresource, type TableColumn } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Both may change and return their argument. */
export interface HubShape {
  readonly toHub: (object: JsonObject) => JsonObject;
  readonly fromHub: (object: JsonObject) => JsonObject;
}

/** What of a definition reads or changes objects. */
type Rules = Pick<ResourceDefinition, "strategy" | "subresources" | "selectableFields" | "columns" | "rowConditions">;

/** The same rules for objects of the stored shape. */
export function inStoredShape(rules: Rules, shape: HubShape): Rules {
  const read = reading(shape);
  const { columns, rowConditions } = rules;
  return {
    strategy: strategyIn(rules.strategy, shape),
    subresources: Object.fromEntries(
      Object.entries(rules.subresources).map(([name, each]) => [name, subresourceIn(each, shape)]),
    ),
    selectableFields: Object.fromEntries(
      Object.entries(rules.selectableFields).map(([label, value]) => [label, (object) => value(read(object))]),
    ),
    ...(columns && { columns: columns.map((each) => columnIn(each, read)) }),
    ...(rowConditions && { rowConditions: (object: JsonObject) => rowConditions(read(object)) }),
  };
}

function columnIn(column: TableColumn, read: (object: JsonObject) => JsonObject): TableColumn {
  const { cell, since } = column;
  return {
    ...column,
    cell: (object, at) => cell(read(object), at),
    ...(since && { since: (object) => since(read(object)) }),
  };
}

/** Left as they are, objects are read in the hub's shape; one object is often read several times in a row. */
function reading({ toHub }: HubShape): (object: JsonObject) => JsonObject {
  let last: { readonly object: JsonObject; readonly hub: JsonObject } | undefined;
  return (object) => {
    if (last?.object !== object) last = { object, hub: toHub(copyJson(object)) };
    return last.hub;
  };
}

function strategyIn(strategy: Strategy, shape: HubShape): Strategy {
  const { prepareForCreate, prepareForUpdate, validate, validateCreate, validateUpdate, ...same } = strategy;
  const inHub = ({ toHub }: HubShape, object: JsonObject) => toHub(copyJson(object));
  return {
    ...same,
    ...(prepareForCreate && {
      prepareForCreate: (object, context) => changeIn(shape, object, (hub) => prepareForCreate(hub, context)),
    }),
    ...(prepareForUpdate && {
      prepareForUpdate: (object, old, context) =>
        changeIn(shape, object, (hub) => prepareForUpdate(hub, inHub(shape, old), context)),
    }),
    ...(validate && { validate: (object, through) => validate(inHub(shape, object), through) }),
    ...(validateCreate && { validateCreate: (object, through) => validateCreate(inHub(shape, object), through) }),
    ...(validateUpdate && {
      validateUpdate: (object, old, through) => validateUpdate(inHub(shape, object), inHub(shape, old), through),
    }),
  };
}

function subresourceIn(subresource: Subresource, shape: HubShape): Subresource {
  const { prepareForUpdate, validateUpdate, view, through } = subresource;
  const read = (object: JsonObject) => shape.toHub(copyJson(object));
  return {
    ...subresource,
    prepareForUpdate: (object, old, context) =>
      changeIn(shape, object, (hub) => prepareForUpdate(hub, read(old), context)),
    ...(validateUpdate && {
      validateUpdate: (object, old, version) => validateUpdate(read(object), read(old), version),
    }),
    ...(through && {
      through: (parent) => {
        const inVersion = through(parent);
        return inVersion && subresourceIn(inVersion, shape);
      },
    }),
    ...(view && {
      view: {
        ...view,
        read: (parent) => view.read(read(parent)),
        write: (parent, shown) => changeIn(shape, parent, (hub) => view.write(hub, shown)),
      },
    }),
  };
}

/** Changes an object of the stored shape by a rule of the hub's. */
function changeIn({ toHub, fromHub }: HubShape, object: JsonObject, change: (hub: JsonObject) => void): void {
  const hub = toHub({ ...object });
  change(hub);
  const changed = fromHub(hub);
  for (const name of Object.keys(object)) if (!(name in changed)) delete object[name];
  Object.assign(object, changed);
}
