import { useEffect } from 'preact/hooks';
import type { FoundMessage } from '../talk/Found.tsx';

/** The name of the marked words in the style. */
const markName = 'found';
/** How long a message is waited for that was opened. */
const waitMs = 10_000;

/** Marks in a message that is shown what it was found by, for as long as it is the one that was opened last. */
export function useMarkedHit(message: FoundMessage | null): void {
  useEffect(() => {
    // Not every browser can mark what is not its own element.
    if (!message || !('highlights' in CSS)) return;
    const words = wordsIn(message);
    const mark = () => {
      const texts = document.querySelectorAll(`article[data-id="${CSS.escape(message.id)}"] .text`);
      const ranges = [...texts].flatMap((element) => rangesOf(element, words));
      if (ranges.length > 0) CSS.highlights.set(markName, new Highlight(...ranges));
      return ranges.length > 0;
    };
    const observer = new MutationObserver(() => mark() && observer.disconnect());
    if (!mark()) observer.observe(document.body, { childList: true, subtree: true });
    const timer = setTimeout(() => observer.disconnect(), waitMs);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      CSS.highlights.delete(markName);
    };
  }, [message]);
}

/** What a message was found by, as it is written there. */
function wordsIn({ excerpt: { text, marks } }: FoundMessage): string[] {
  return [...new Set(marks.map(({ start, end }) => text.slice(start, end).toLowerCase()))].filter(Boolean);
}

function rangesOf(element: Element, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? '';
    // Letters that are longer in lower case would be beside their place.
    if (text.length !== node.textContent?.length) continue;
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
