import { useMemo, useState } from "preact/hooks";
import type { ApiObject } from "../values/api-object";
import { type FieldManager, fieldManagersOf, managersAt } from "../values/field-managers";
import { yamlLinesOf } from "./yaml-lines";

/** Lines that are shown at first: an object of a megabyte has tens of thousands. */
const SHOWN_LINES = 2000;

/** The object as YAML, with the managers of each field beside it. */
export function ManagedYaml({ object }: { readonly object: ApiObject }) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => {
    const { managedFields: _managers, ...metadata } = object.metadata;
    return yamlLinesOf({ ...object, metadata });
  }, [object]);
  const managers = useMemo(() => fieldManagersOf(object), [object]);
  const shown = isWhole ? lines : lines.slice(0, SHOWN_LINES);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached with the keyboard */}
      <section class="yaml" aria-label="YAML with field managers" tabIndex={0}>
        {shown.map(({ text, pointer }, index) => {
          const own = managersAt(managers, pointer);
          return (
            <div key={index} class="line">
              <code>{text}</code>
              <span class="manager" title={own.map(described).join("\n")}>
                {own.map(({ name }) => name).join(", ")}
              </span>
            </div>
          );
        })}
      </section>
      {shown.length < lines.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </button>
      )}
    </>
  );
}

const described = ({ name, operation, time, subresource }: FieldManager): string =>
  `${name}: ${operation}${subresource === undefined ? "" : ` of ${subresource}`}${time === undefined ? "" : `, ${time}`}`;
