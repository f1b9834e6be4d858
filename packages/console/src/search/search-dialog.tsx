import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { qualifiedName, type Resource } from "../discovery/resource";
import { resources } from "../discovery/resources";
import { Dialog } from "../parts/dialog";
import { objectAddress, tableAddress } from "../routes/addresses";
import { goTo } from "../routes/router";
import { type FoundObject, findObjects } from "./find-objects";
import { matchKinds, readSearch } from "./match-kinds";
import "./search.css";

interface Result {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly address: string;
}

/** The field controls the list of results, which is no datalist. */
const COMBOBOX = { role: "combobox" } as const;
const KINDS_SHOWN = 8;
/** Wait after the last key before objects are searched for. */
const PAUSE_MS = 300;
/** Resources whose names say nothing to users, in a search without a kind. */
const LEFT_OUT = new Set([
  "events",
  "leases",
  "endpoints",
  "endpointslices",
  "controllerrevisions",
  "componentstatuses",
]);

/** Searches for kinds and objects: `pod`, `web`, `pod web`. */
export function SearchDialog({ close }: { readonly close: () => void }) {
  const list = useId();
  const [text, setText] = useState("");
  const [objects, setObjects] = useState<readonly FoundObject[]>([]);
  const [isSearching, setSearching] = useState(false);
  const [active, setActive] = useState(0);
  const search = useMemo(() => readSearch(text), [text]);
  const listed = resources.value.filter((each) => each.verbs.includes("list"));
  const kinds = matchKinds(listed, search.kind ?? search.name).slice(0, KINDS_SHOWN);

  useEffect(() => {
    setObjects([]);
    setActive(0);
    setSearching(search.name.length > 1);
    if (search.name.length < 2) return undefined;
    const ending = new AbortController();
    const searched = search.kind === undefined ? listed.filter(({ name }) => !LEFT_OUT.has(name)) : kinds.slice(0, 1);
    const timer = setTimeout(async () => {
      await findObjects(searched, search.name, { signal: ending.signal, report: setObjects });
      if (!ending.signal.aborted) setSearching(false);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text]);

  const results: Result[] = [...kinds.map(kindResult), ...objects.map(objectResult)].map((result, index) => ({
    ...result,
    id: `${list}-${index}`,
  }));
  const open = (result: Result | undefined) => {
    if (result === undefined) return;
    close();
    goTo(result.address);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive(Math.max(0, Math.min(results.length - 1, active + step)));
    else if (event.key === "Enter") open(results[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" close={close}>
      <input
        type="text"
        list={undefined}
        class="search"
        {...COMBOBOX}
        aria-label="Kind or name of an object"
        aria-expanded={results.length > 0}
        aria-controls={list}
        aria-activedescendant={results[active]?.id}
        placeholder="pod, web, deployment web"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div id={list} class="results" role="listbox" aria-label="Results">
        {results.map((result, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of the list
          <div
            key={result.id}
            id={result.id}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => open(result)}
          >
            {result.title} <span class="quiet">{result.detail}</span>
          </div>
        ))}
      </div>
      <p class="quiet" role="status">
        {isSearching ? "Searching …" : text !== "" && results.length === 0 ? "Nothing is found." : ""}
      </p>
    </Dialog>
  );
}

const kindResult = (resource: Resource): Omit<Result, "id"> => ({
  title: resource.kind,
  detail: qualifiedName(resource),
  address: tableAddress(resource),
});

const objectResult = ({ resource, namespace, name }: FoundObject): Omit<Result, "id"> => ({
  title: name,
  detail: `${resource.kind}${namespace === undefined ? "" : ` in ${namespace}`}`,
  address: objectAddress(resource, { namespace, name }),
});
