import { useEffect, useId } from "preact/hooks";
import { loadNamespaces, namespaces } from "../discovery/namespaces";

interface Props {
  /** Empty for all namespaces. */
  readonly value: string;
  readonly choose: (namespace: string) => void;
  readonly placeholder?: string;
}

/** Chooses a namespace among those that the user can access, or any other by its name. */
export function NamespaceField({ value, choose, placeholder = "all" }: Props) {
  const list = useId();
  useEffect(() => {
    loadNamespaces();
  }, []);
  return (
    <label>
      Namespace
      <input
        type="search"
        list={list}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        onChange={(event) => choose(event.currentTarget.value.trim())}
      />
      <datalist id={list}>
        {namespaces.value.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
