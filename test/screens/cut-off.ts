import type { Page } from 'playwright-core';

/**
 * Looks for words, controls and pictures that a container cuts off, or that are where nobody can scroll to. What says that it
 * goes on (an ellipsis, lines that are clamped, a fading end), and what is there for screen readers alone, is left out.
 */
const script = `(async () => {
  // What follows a change of the window's size is drawn in the next frames.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  // A space at the end of a line hangs out of it, and letters have their room above and below.
  const slack = 1.5, ink = 5, space = 6;
  const found = new Set();
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const isUnseen = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = styleOf(at);
      if (style.clipPath !== 'none' || style.opacity === '0' || style.visibility === 'hidden') return true;
      if (at.matches('iframe, [aria-busy=true], .skeleton, .skip:not(:focus)')) return true;
    }
    return false;
  };
  const saysSo = (box) => {
    const style = styleOf(box);
    return style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || style.maskImage !== 'none';
  };
  const mayScrollAside = (box) => box.matches('pre, .table, .tabs, .rail, textarea, input, select');
  const describe = (element) =>
    element.tagName.toLowerCase() + (typeof element.className === 'string' && element.className ? '.' + element.className.trim().replace(/\\s+/g, '.') : '');
  const containerOf = (element) => {
    const { position } = styleOf(element);
    if (position === 'fixed' || element.matches(':popover-open, dialog[open]')) return document.documentElement;
    if (position !== 'absolute') return element.parentElement;
    return element.offsetParent ?? document.documentElement;
  };
  const check = (element, rect, what, aside = slack) => {
    let box = { left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom };
    for (let at = element; at; ) {
      const isTop = at === document.documentElement;
      const style = styleOf(at);
      const outer = at.getBoundingClientRect();
      const around = isTop
        ? { left: 0, right: innerWidth, top: 0, bottom: innerHeight }
        : {
            left: outer.left + at.clientLeft,
            right: outer.left + at.clientLeft + at.clientWidth,
            top: outer.top + at.clientTop,
            bottom: outer.top + at.clientTop + at.clientHeight,
          };
      const isInline = !isTop && style.display === 'inline';
      for (const [side, from, to, size] of [['x', 'left', 'right', 'clientWidth'], ['y', 'top', 'bottom', 'clientHeight']]) {
        const overflow = isTop ? 'hidden' : isInline || style.display === 'contents' ? 'visible' : side === 'x' ? style.overflowX : style.overflowY;
        if (overflow === 'visible') continue;
        const room = side === 'x' ? aside : ink;
        const over = Math.max(around[from] - box[from], box[to] - around[to]);
        if (over <= room) continue;
        const scrolls = overflow === 'auto' || overflow === 'scroll';
        if (scrolls) {
          if (side === 'x' && !mayScrollAside(at)) found.add(describe(at) + ' scrolls sideways: ' + what);
          if (side === 'x') {
            const isRtl = style.direction === 'rtl';
            const start = around.left - at.scrollLeft - (isRtl ? at.scrollWidth - at.clientWidth : 0);
            if (box.left < start - slack || box.right > start + at.scrollWidth + slack)
              found.add(what + ' is where ' + describe(at) + ' cannot be scrolled to');
          }
          box = { ...box, [from]: around[from], [to]: around[to] };
        } else {
          if (!saysSo(at)) found.add(what + ' is cut by ' + describe(at) + ' at the ' + (around[from] - box[from] > room ? from : to) + ' by ' + Math.round(over));
          box = { ...box, [from]: Math.max(box[from], around[from]), [to]: Math.min(box[to], around[to]) };
        }
      }
      if (isTop) break;
      at = containerOf(at);
    }
  };
  const modal = [...document.querySelectorAll('dialog[open]')].at(-1);
  for (const element of document.body.querySelectorAll('*')) {
    if (modal && !modal.contains(element)) continue;
    if (element.closest('script, style, noscript')) continue;
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim() !== '');
    const isThing = element.matches('button, a, input, select, textarea, img, video, svg');
    if ((own.length === 0 && !isThing) || isUnseen(element)) continue;
    for (const node of own) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const words = '“' + node.data.trim().slice(0, 40) + '”';
      for (const rect of range.getClientRects()) if (rect.width > 0) check(element, rect, words, space);
    }
    if (!isThing) continue;
    const rect = element.getBoundingClientRect();
    if (rect.width > 0 && element.parentElement) {
      const name = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40);
      check(containerOf(element), rect, describe(element) + (name ? ' “' + name + '”' : ''));
    }
  }
  for (const box of document.querySelectorAll('.name, .title')) {
    if (box.clientWidth > 0 && box.clientWidth < 24 && box.scrollWidth > box.clientWidth + 1 && !isUnseen(box))
      found.add('nothing is left of “' + box.textContent.trim().slice(0, 40) + '”');
  }
  return [...found];
})()`;

/** What is cut off on the page as it stands. */
export const cutOff = (page: Page): Promise<string[]> => page.evaluate(script);
