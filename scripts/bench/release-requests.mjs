// Builders of the requests of the comparison of two releases. A replacement is the stored object with a change.
import { Request } from "./connection.mjs";
import { KINDS, STATUSES } from "./release-objects.mjs";

const STRATEGIC = "application/strategic-merge-patch+json";
const collectionOf = (plural, namespace) => KINDS[plural].path.replace("{namespace}", namespace);
const nameOf = (index) => `object-${index}`;
const keyOf = (port, path) => `${port}${path}`;

/** Stored objects as texts with the place of the revision, by server and path. */
const stored = new Map();

/** Creates `objects` objects of a kind and keeps the answers for later replacements. */
export async function keepObjects(connection, { plural, namespace, objects, port }) {
  for (let index = 0; index < objects; index += 1) {
    const parts = [];
    const request = creation(plural, namespace, nameOf(index));
    const status = await connection.send(request, (part) => parts.push(Buffer.from(part)));
    const text = Buffer.concat(parts).toString();
    if (status !== 201) throw new Error(`${request.path} answered ${status}: ${text}`);
    const object = JSON.parse(text);
    delete object.metadata.resourceVersion;
    stored.set(keyOf(port, `${request.path}/${nameOf(index)}`), object);
  }
}

function creation(plural, namespace, name) {
  const { object, path } = KINDS[plural];
  const place = path.includes("{namespace}") ? { name, namespace } : { name };
  const body = JSON.stringify({ ...object, metadata: { ...object.metadata, ...place } });
  return new Request("POST", collectionOf(plural, namespace), body);
}

/** Makers by verb, called with the order's `make` and then with the number of the request. */
const VERBS = {
  create:
    ({ plural, namespace, firstIndex }) =>
    (count) =>
      creation(plural, namespace, nameOf(firstIndex + count)),
  replace: (make) => replacing(make, "", ({ metadata, ...rest }) => ({ metadata: revised(metadata), ...rest })),
  replaceStatus: (make) => replacing(make, "/status", (object) => ({ ...object, status: STATUSES[make.plural] })),
  patch: (make) => patching(make, "", { metadata: { annotations: { "bench.example/revision": "REVISION" } } }),
  patchStatus: (make) => patching(make, "/status", { status: STATUSES[make.plural] }),
};

const revised = ({ annotations, ...metadata }) => ({
  ...metadata,
  annotations: { ...annotations, "bench.example/revision": "REVISION" },
});

function replacing({ plural, namespace, objects, port, firstIndex }, subresource, change) {
  const paths = Array.from({ length: objects }, (_, index) => `${collectionOf(plural, namespace)}/${nameOf(index)}`);
  const texts = paths.map((path) => JSON.stringify(change(stored.get(keyOf(port, path)))));
  return (count) => {
    const at = count % objects;
    const body = texts[at].replaceAll("REVISION", `${firstIndex + count}`);
    return new Request("PUT", `${paths[at]}${subresource}`, body);
  };
}

function patching({ plural, namespace, objects, firstIndex }, subresource, patch) {
  const text = JSON.stringify(patch);
  return (count) => {
    const path = `${collectionOf(plural, namespace)}/${nameOf(count % objects)}${subresource}`;
    return new Request("PATCH", path, text.replaceAll("REVISION", `${firstIndex + count}`), { type: STRATEGIC });
  };
}

export const releaseMaker = (make) => VERBS[make.verb](make);
