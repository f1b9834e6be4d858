/** Tells that something is loaded. */
export const Loading = ({ subject }: { readonly subject: string }) => (
  <p class="loading" role="status">
    Loading {subject} …
  </p>
);
