import { isJson, type Json, objectsIn, ownIn, restOf, shownIn, textIn } from './json.ts';
import { bold, inLine, lines, link } from './marks.ts';
import { richText, textOf } from './slack-text.ts';

/** A block, what is told of it, and the fields that this tells of. */
interface BlockForm {
  parts: readonly string[];
  tell(block: Json): string;
}

const always = ['type', 'block_id'];

/** Elements that people press elsewhere: here they lead where they lead, or are only named. */
function element(value: Json): string {
  const type = textIn(value.type);
  if (type === 'image') return link(textIn(value.alt_text) || 'Image', textIn(value.image_url));
  if (type === 'plain_text' || type === 'mrkdwn') return textOf(value);
  if (type === 'button') return link(textOf(value.text), textIn(value.url));
  const rest = restOf(value, new Set(['type', 'action_id', 'block_id', 'emoji']));
  return rest.length > 0 ? `${type}: ${rest.map(inLine).join(', ')}` : '';
}

const blocks: Record<string, BlockForm> = {
  header: { parts: ['text'], tell: ({ text }) => bold(textOf(text)) },
  section: {
    parts: ['text', 'fields', 'accessory', 'expand'],
    tell: ({ text, fields, accessory }) =>
      lines(textOf(text), objectsIn(fields).map(textOf), isJson(accessory) ? element(accessory) : ''),
  },
  context: {
    parts: ['elements'],
    tell: ({ elements }) => objectsIn(elements).map(element).map(inLine).filter(Boolean).join(' · '),
  },
  actions: {
    parts: ['elements'],
    tell: ({ elements }) => objectsIn(elements).map(element).map(inLine).filter(Boolean).join(' · '),
  },
  divider: { parts: [], tell: () => '———' },
  image: {
    parts: ['image_url', 'alt_text', 'title', 'image_width', 'image_height', 'image_bytes', 'fallback', 'is_animated'],
    tell: ({ title, image_url: url, alt_text: alternative }) =>
      link(textOf(title) || textIn(alternative) || 'Image', textIn(url)),
  },
  video: {
    parts: [
      'title',
      'title_url',
      'video_url',
      'description',
      'alt_text',
      'thumbnail_url',
      'author_name',
      'provider_name',
      'provider_icon_url',
    ],
    tell: ({ title, title_url: page, video_url: url, description, author_name: author, provider_name: provider }) =>
      lines(link(textOf(title), textIn(page) || textIn(url)), textOf(description), textIn(author), textIn(provider)),
  },
  markdown: { parts: ['text'], tell: ({ text }) => textIn(text) },
  rich_text: { parts: ['elements'], tell: ({ elements }) => richText(elements) },
};

/** Slack's blocks as text; of those that are not known, all that they say. */
export function blocksAsText(value: unknown): string {
  if (!Array.isArray(value)) return shownIn(value);
  return lines(value.map((block) => (isJson(block) ? blockAsText(block) : shownIn(block))));
}

function blockAsText(block: Json): string {
  const form = ownIn(blocks, textIn(block.type));
  if (!form) return shownIn(block);
  return lines(form.tell(block), restOf(block, new Set([...always, ...form.parts])));
}
