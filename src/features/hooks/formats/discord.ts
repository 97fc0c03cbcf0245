import { isUuid } from '../../../contract/schema.ts';
import type { HookFormat, Post } from './format.ts';
import { isJson, type Json, linesOf, objectsIn, restOf, shownIn, textIn } from './json.ts';
import { bold, inLine, lines, link, quoted } from './marks.ts';
import { decorations, senderLine } from './sender.ts';

/** Fields that a message is made of, and those that say how Discord shows it, which are nothing to read. */
const known = new Set([
  ...['content', 'embeds', 'components', 'username', 'avatar_url', 'thread_id', 'poll', 'attachments'],
  ...['tts', 'allowed_mentions', 'flags', 'payload_json'],
]);
/** Fields that only Discord's clients send. */
const own = ['embeds', 'avatar_url', 'tts', 'allowed_mentions', 'thread_name', 'flags', 'applied_tags'];

const embedParts = new Set([
  ...['title', 'type', 'description', 'url', 'timestamp', 'color', 'footer', 'image', 'thumbnail', 'video', 'provider'],
  ...['author', 'fields'],
]);

/** Messages of Discord's webhooks: `content`, `embeds`. */
export const discord: HookFormat = {
  name: 'discord',
  recognises: ({ body }) => own.some((name) => name in body) || 'content' in body,
  deliveryIds: ['idempotency-key'],
  read({ body }): Post {
    const { content, embeds, components, poll, attachments, username, allowed_mentions: allowed } = body;
    const thread = textIn(body.thread_id);
    const text = lines(
      senderLine(username),
      fromDiscord(shownIn(content)),
      objectsIn(embeds).map(embedAsText),
      objectsIn(components).map(componentAsText),
      linesOf(poll),
      linesOf(attachments),
      restOf(body, known),
    );
    const place = isUuid(thread) ? { threadId: thread } : {};
    return { text, namesNobody: !mayNamePeople(allowed), ...place, ...decorations(body, ['avatar_url']) };
  },
};

/** Whom Discord would notify: without `allowed_mentions` all who are named, with it those whom it lists; its ids are of nobody here. */
const mayNamePeople = (allowed: unknown): boolean =>
  !isJson(allowed) || (Array.isArray(allowed.parse) && allowed.parse.includes('users'));

/** Discord writes Markdown, but for its own emoji, times and names. */
function fromDiscord(text: string): string {
  return text
    .replace(/<a?:(\w{2,32}):\d+>/g, ':$1:')
    .replace(/<t:(-?\d{1,11})(?::[tTdDfFR])?>/g, (_, seconds: string) => new Date(Number(seconds) * 1000).toISOString())
    .replace(/<(@[!&]?|#)(\d+)>/g, (_, sign: string, id: string) => `${sign[0]}${id}`);
}

const inside = (value: unknown, name: string): string => (isJson(value) ? textIn(value[name]) : '');

function embedAsText(embed: Json): string {
  const { title, url, description, timestamp, author, footer, image, thumbnail, video, provider, fields } = embed;
  const all = lines(
    link(inside(author, 'name'), inside(author, 'url')),
    title ? `**${link(fromDiscord(textIn(title)), textIn(url))}**` : textIn(url),
    fromDiscord(textIn(description)),
    objectsIn(fields).map((field) => lines(bold(textIn(field.name)), fromDiscord(shownIn(field.value)))),
    link('Image', inside(image, 'url')).replace(/^Image$/, ''),
    link('Image', inside(thumbnail, 'url')).replace(/^Image$/, ''),
    link('Video', inside(video, 'url')).replace(/^Video$/, ''),
    inside(provider, 'name'),
    [inside(footer, 'text'), textIn(timestamp)].filter(Boolean).join(' · '),
    restOf(embed, embedParts),
  );
  return quoted(all);
}

/** What says how Discord shows a component; those within it are told beside it. */
const hidden = ['type', 'style', 'custom_id', 'id', 'disabled', 'emoji', 'divider', 'spacing'];
const componentParts = new Set([...hidden, 'components']);

/** A component, and on a line below it all that is in it, however deep. */
function componentAsText(component: Json): string {
  const inner = within(component).map(inLine).filter(Boolean).join(' · ');
  return lines(saidBy(component), inner);
}

const within = (component: Json): string[] =>
  objectsIn(component.components).flatMap((one) => [saidBy(one), ...within(one)]);

/** Buttons that lead somewhere, and texts; others can do nothing here, and are only named. */
const saidBy = ({ label, url, content, ...others }: Json): string =>
  lines(link(textIn(label), textIn(url)), textIn(content), restOf(others, componentParts));
