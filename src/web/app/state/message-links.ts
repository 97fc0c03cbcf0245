import { blankSpoilers } from '../../../contract/quote.ts';
import { routeOf } from './router.ts';

/** How many links of one message are previewed. */
const most = 3;
const address = /(?:https?:\/\/[^\s<>()[\]"']+?)?\/app\/(?:s|dm)\/[^\s<>()[\]"']+/g;
/** Where links are no links. */
const code = /```[\s\S]*?```|`[^`\n]*`/g;

/** The messages of this site that a text links to. */
export function linkedMessages(content: string, origin: string): string[] {
  const ids = new Set<string>();
  for (const [text] of blankSpoilers(content).replace(code, ' ').matchAll(address)) {
    // As where links are shown, the end of a sentence is not part of one.
    const found = text.replace(/[.,;:!?…]+$/, '');
    if (!URL.canParse(found, origin)) continue;
    const url = new URL(found, origin);
    const route = url.origin === origin ? routeOf(url.pathname) : null;
    if (route && 'messageId' in route && route.messageId && isId(route.messageId)) ids.add(route.messageId);
  }
  return [...ids].slice(0, most);
}

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
