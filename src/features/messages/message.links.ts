import { maxLinkAddress, maxPreviews } from '../../contract/link-preview.ts';
import { withoutBlocks } from '../../contract/mentions/quoted.ts';
import { blankSpoilers } from '../../contract/quote.ts';

const scheme = /https?:\/\//gi;
const endOfRun = /[\s<>"']/g;
/** What stands after an address rather than in it. */
const after = new Set('.,;:!?](}*~|');
/** So many places that look like links are looked at. */
const mostRuns = 50;

/**
 * The addresses of the links in a text that get previews, the first few, each once and in the form in which equal ones
 * are the same text. Code, quotations, spoilers and what stands in angle brackets have none (contract §6).
 */
export function linksIn(content: string): string[] {
  if (!/https?:\/\//i.test(content)) return [];
  const text = withoutBlocks(blankSpoilers(content));
  const found = new Set<string>();
  let end = 0;
  let runs = 0;
  for (const { index } of text.matchAll(scheme)) {
    // An address inside another one is a part of it.
    if (index < end) continue;
    const run = runAt(text, index);
    end = index + run.length;
    if (text[index - 1] === '<' && text[end] === '>') continue;
    const address = addressOf(run);
    if (address) found.add(address);
    if (found.size === maxPreviews || ++runs === mostRuns) break;
  }
  return [...found];
}

function runAt(text: string, start: number): string {
  endOfRun.lastIndex = start;
  return text.slice(start, endOfRun.exec(text)?.index ?? text.length);
}

/** Up to a bracket that closes what began before the address, as in `[name](address)`. */
function withinBrackets(run: string): string {
  let depth = 0;
  for (let at = 0; at < run.length; at++) {
    if (run[at] === '(') depth++;
    else if (run[at] === ')' && --depth < 0) return run.slice(0, at);
  }
  return run;
}

function withoutEnd(run: string): string {
  let end = run.length;
  while (after.has(run[end - 1] ?? '')) end--;
  return run.slice(0, end);
}

/** @returns undefined: it is none that a preview is made of */
function addressOf(run: string): string | undefined {
  if (run.length > 2 * maxLinkAddress) return undefined;
  const url = URL.parse(withoutEnd(withinBrackets(run)));
  if (!url || url.username || url.password || !url.hostname.includes('.')) return undefined;
  url.hash = '';
  return url.href.length <= maxLinkAddress ? url.href : undefined;
}
