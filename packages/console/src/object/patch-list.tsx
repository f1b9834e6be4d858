import { yamlOf } from "../values/yaml-text";
import type { PatchStep } from "./revisions";

const SIGNS: Readonly<Record<string, string>> = { add: "+", remove: "-", replace: "~" };
/** Steps of a patch that are shown at first. */
const SHOWN = 20;

/** The steps of a JSON patch (RFC 6902), a line each. */
export function PatchList({ patch }: { readonly patch: readonly PatchStep[] }) {
  if (patch.length === 0) return <p class="quiet">Only metadata of the server changed.</p>;
  return (
    <ul class="patch">
      {patch.slice(0, SHOWN).map(({ op, path, value }) => (
        <li key={`${op} ${path}`} class={op}>
          <span class="sign">{SIGNS[op] ?? op}</span> <code>{path}</code>
          {value !== undefined && <pre>{yamlOf(value).trimEnd()}</pre>}
        </li>
      ))}
      {patch.length > SHOWN && <li class="quiet">and {patch.length - SHOWN} more changes</li>}
    </ul>
  );
}
