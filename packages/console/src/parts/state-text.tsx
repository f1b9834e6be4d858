/** A state with the color of good or bad; the words alone tell it, too. */
export const StateText = ({ isGood, children }: { readonly isGood: boolean; readonly children: string }) => (
  <span class={isGood ? "good" : "bad"}>{children}</span>
);
