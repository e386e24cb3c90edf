// Every text that shows, with its contrast against what is painted behind it and the contrast that it needs.
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parsed = new Map();
  // Any colour that the style sheet may write, as red, green, blue, alpha from 0 to 1.
  const parse = (colour) => {
    if (!parsed.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      parsed.set(colour, [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
    }
    return parsed.get(colour);
  };
  const over = (ground, colour, alpha) => ground.map((part, i) => part * (1 - alpha) + colour[i] * alpha);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const holds = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
  const measure = (element, text, style) => {
    const own = element.getBoundingClientRect();
    const [x, y] = [own.left + own.width / 2, own.top + own.height / 2];
    const path = [];
    for (let at = element; at; at = at.parentElement) path.unshift(at);
    let ground = [1, 1, 1];
    let opacity = 1;
    for (const at of path) {
      const look = getComputedStyle(at);
      opacity *= Number(look.opacity);
      const painted = parse(look.backgroundColor);
      // A text may stand beside what it belongs to, as the figure above the knob of a slider does.
      if (at === document.body || at === document.documentElement || holds(at.getBoundingClientRect(), x, y))
        ground = over(ground, painted, painted[3] * opacity);
    }
    const colour = parse(style.color);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    // A symbol is no text: it needs what the parts of a control need.
    const symbol = element.closest('[data-testid="stIconMaterial"]') !== null;
    return {
      text: text.trim().slice(0, 30),
      where: element.closest("[data-testid]")?.dataset.testid ?? element.tagName,
      contrast: Math.round(100 * contrast(over(ground, colour, colour[3] * opacity), ground)) / 100,
      wanted: large || symbol ? 3 : 4.5,
      opacity,
    };
  };
  const shows = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    element.getClientRects().length > 0 &&
    element.getBoundingClientRect().width > 1 &&
    !element.closest(":disabled, [aria-disabled=true]");
  const measured = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() && !element.closest("style, script, noscript") && shows(element))
      measured.push(measure(element, node.data, getComputedStyle(element)));
  }
  for (const field of document.querySelectorAll("input:not([type=checkbox], [type=radio], [type=range]), textarea")) {
    if (!shows(field)) continue;
    const hint = !field.value && field.placeholder;
    if (field.value || hint)
      measured.push(measure(field, field.value || hint, getComputedStyle(field, hint ? "::placeholder" : null)));
  }
  return measured.filter((text) => text.opacity > 0);
}
