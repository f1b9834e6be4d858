// Names the fields of the explorer's package and lets the keyboard reach what scrolls: the package does neither.

/** Follows what is rendered below an element. */
export function keepAccessible(root) {
  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      improve(root);
    });
  }).observe(root, { childList: true, subtree: true });
}

function improve(root) {
  for (const field of root.querySelectorAll(
    "select:not([aria-label]), input:not([aria-label]), textarea:not([aria-label])",
  )) {
    const parameter = field.closest("[data-param-name]")?.dataset.paramName;
    if (parameter !== undefined) field.setAttribute("aria-label", parameter);
    else if (field.closest("label") === null) field.setAttribute("aria-label", nameOf(field));
  }
  for (const text of root.querySelectorAll("pre:not([tabindex])")) text.setAttribute("tabindex", "0");
}

const nameOf = (field) =>
  field.matches(".body-param__text, textarea") ? "Body" : field.matches("select") ? "Media type" : "Value";
