import { useEffect, useId } from "preact/hooks";
import { loadNamespaces, namespaces } from "../discovery/namespaces";
import { CommittedField } from "./committed-field";

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
    <>
      <CommittedField label="Namespace" list={list} value={value} placeholder={placeholder} choose={choose} />
      <datalist id={list}>
        {namespaces.value.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
