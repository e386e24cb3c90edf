// Notes everything that can be used on the page, how it looks without the focus, and says by number where the focus is.
() => {
  const USABLE = "a[href], button, input, textarea, select, summary, [role=button], [role=slider]";
  const shows = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 0 &&
    !element.closest(":disabled, [aria-disabled=true], [aria-hidden=true], [inert]");
  // Of radio buttons the chosen one alone is stopped at; the arrow keys reach the others. The arrow beside a box of
  // choices does what the arrow keys do in the box.
  const alone = (element) =>
    !(element.type === "radio" && !element.checked) &&
    !(element.getAttribute("role") === "radio" && element.parentElement.querySelector("[aria-checked=true]") !== element) &&
    !(element.tabIndex < 0 && element.parentElement.querySelector("input[role=combobox]"));
  const usable = [...document.querySelectorAll(USABLE)].filter((element) => shows(element) && alone(element));
  const PARTS = ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "borderColor", "backgroundColor", "textDecorationLine", "color"];
  // A control may show its focus on what stands around it or inside it.
  const around = (element) => {
    const parts = [element, ...[...element.parentElement.children].filter((child) => child !== element), ...element.querySelectorAll("*")].slice(0, 20);
    for (let at = element.parentElement, steps = 0; at && steps < 4; at = at.parentElement, steps++) parts.push(at);
    return parts;
  };
  const settle = () => document.getAnimations().forEach((animation) => animation.effect?.getComputedTiming().iterations === Infinity || animation.finish());
  const look = (element) =>
    around(element).map((at) => [null, "::before", "::after"].map((pseudo) => { const style = getComputedStyle(at, pseudo); return PARTS.map((part) => style[part]).join(); }).join());
  document.activeElement?.blur();
  settle();
  const before = usable.map(look);
  const name = (element) =>
    (element.getAttribute("aria-label") || element.innerText || element.value || element.outerHTML).trim().slice(0, 60);
  window.keyboard = {
    here: () => {
      settle();
      const at = document.activeElement;
      const number = usable.indexOf(at);
      if (number < 0) {
        const style = getComputedStyle(at);
        const ring = at === document.body || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0);
        // What can only be scrolled has no number; it is told apart by its place on the page.
        return [-1 - [...document.querySelectorAll("*")].indexOf(at), ring || style.boxShadow !== "none", name(at)];
      }
      const now = look(at);
      return [number, now.some((part, i) => part !== before[number][i]), name(at)];
    },
  };
  return usable.map(name);
}
