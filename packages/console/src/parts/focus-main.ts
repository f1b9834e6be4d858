/** Moves the focus to the content of the page, where what had it goes away. */
export function focusMain(): void {
  document.getElementById("main")?.focus();
}
