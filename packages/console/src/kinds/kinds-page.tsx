import { resourceAction } from "@orch/access";
import { useMemo } from "preact/hooks";
import { qualifiedName, type Resource } from "../discovery/resource";
import { resources } from "../discovery/resources";
import { NamespaceField } from "../parts/namespace-field";
import type { PageProps } from "../parts/page-view";
import { useTitle } from "../parts/title";
import { questionAddress, tableAddress } from "../routes/addresses";
import { setQuery } from "../routes/router";
import { type Count, useCounts } from "./use-counts";

/** All kinds that can be listed, built-in and custom, with the number of their objects. */
export function KindsPage({ route }: PageProps) {
  useTitle("Kinds");
  const { ns = "", q = "", group } = route.query;
  const all = resources.value;
  const listed = useMemo(
    () => all.filter((each) => each.verbs.includes("list") && (ns === "" || each.isNamespaced)),
    [all, ns],
  );
  const counts = useCounts(listed, ns);
  const shown = listed.filter((each) => matches(each, q) && (group === undefined || each.group === group));
  const groups = [...new Set(shown.map((each) => each.group))];
  return (
    <>
      <h1>Kinds</h1>
      <div class="filters">
        <label>
          Filter
          <input type="search" value={q} onInput={(event) => setQuery({ q: event.currentTarget.value })} />
        </label>
        <NamespaceField value={ns} choose={(namespace) => setQuery({ ns: namespace })} />
      </div>
      {shown.length === 0 && <p>No kind matches the filter.</p>}
      <div class="groups">
        {groups.map((name) => (
          <section key={name} class="group" aria-label={name || "core"}>
            <h2>{name || "core"}</h2>
            <ul class="kinds">
              {shown
                .filter((each) => each.group === name)
                .map((each) => (
                  <li key={each.name}>
                    <a href={tableAddress(each, { ns })}>{each.kind}</a>
                    <CountText count={counts.get(qualifiedName(each))} resource={each} namespace={ns} />
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

interface CountProps {
  readonly count: Count | undefined;
  readonly resource: Resource;
  readonly namespace: string;
}

/** The number of objects; for a kind that the user may not list, the way to the reason. */
function CountText({ count, resource, namespace }: CountProps) {
  if (count === "forbidden") {
    const { group, name } = resource;
    const asked = resourceAction("list", { group, resource: name }, namespace);
    return (
      <a class="count quiet" href={questionAddress(asked)} title="Why?">
        not allowed
      </a>
    );
  }
  if (count === "failed") return <span class="count quiet">unknown</span>;
  return <span class="count">{count === undefined ? "…" : count.toLocaleString("en")}</span>;
}

function matches({ kind, name, group, shortNames, categories }: Resource, filter: string): boolean {
  const text = [kind, name, group, ...shortNames, ...categories].join(" ").toLowerCase();
  return text.includes(filter.trim().toLowerCase());
}
