// Places that `g` and a second key lead to: pages, and kinds that are looked at often.
import { resources } from "../discovery/resources";
import { tableAddress } from "../routes/addresses";
import { addressOf } from "../routes/route";
import { PAGES } from "./pages";

interface Jump {
  readonly key: string;
  readonly title: string;
  readonly address: string;
}

/** Resources by key. Those that the server does not serve are left out. */
const KINDS: Readonly<Record<string, readonly [group: string, name: string]>> = {
  p: ["", "pods"],
  d: ["apps", "deployments"],
  s: ["", "services"],
  c: ["", "configmaps"],
  n: ["", "namespaces"],
  e: ["", "events"],
  j: ["batch", "jobs"],
};

export function jumps(): readonly Jump[] {
  const pages = PAGES.flatMap(({ path, title, jump }): Jump[] =>
    jump === undefined ? [] : [{ key: jump, title, address: addressOf(path) }],
  );
  const kinds = Object.entries(KINDS).flatMap(([key, [group, name]]): Jump[] => {
    const resource = resources.value.find((each) => each.group === group && each.name === name);
    return resource === undefined ? [] : [{ key, title: resource.kind, address: tableAddress(resource) }];
  });
  return [...pages, ...kinds.filter(({ key }) => !pages.some((page) => page.key === key))];
}
