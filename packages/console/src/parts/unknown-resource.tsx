import { kindsAddress, type ResourcePlace } from "../routes/addresses";

/** Tells that the server does not serve the resource of an address. */
export const UnknownResource = ({ place }: { readonly place: ResourcePlace }) => (
  <div class="note" role="alert">
    <h1>No such resource</h1>
    <p>
      The server does not serve <code>{`${place.resource} ${place.group}/${place.version}`}</code>, or you are not
      allowed to see it.
    </p>
    <p>
      <a href={kindsAddress()}>All kinds</a>
    </p>
  </div>
);
