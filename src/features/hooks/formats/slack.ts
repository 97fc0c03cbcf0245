import { isUuid } from '../../../contract/schema.ts';
import type { HookFormat, Post } from './format.ts';
import { type Json, linesOf, objectsIn, restOf, shownIn, textIn } from './json.ts';
import { bold, lines, link, quoted } from './marks.ts';
import { decorations, senderLine } from './sender.ts';
import { blocksAsText } from './slack-blocks.ts';
import { fromMrkdwn } from './slack-text.ts';

/** Fields that a message is made of, and those that say how Slack shows it, which are nothing to read. */
const known = new Set([
  ...['text', 'blocks', 'attachments', 'username', 'icon_url', 'icon_emoji', 'thread_ts'],
  ...['channel', 'mrkdwn', 'unfurl_links', 'unfurl_media', 'link_names', 'parse', 'as_user', 'reply_broadcast'],
  ...['response_type', 'replace_original', 'delete_original'],
]);
/** Kept with the message, since nobody reads them. */
const kept = ['icon_url', 'icon_emoji', 'channel'];

const attachmentParts = new Set([
  ...['fallback', 'color', 'pretext', 'author_name', 'author_link', 'author_icon', 'title', 'title_link', 'text'],
  ...['fields', 'image_url', 'thumb_url', 'footer', 'footer_icon', 'ts', 'mrkdwn_in', 'blocks', 'actions'],
  ...['id', 'callback_id', 'attachment_type', 'short', 'mrkdwn'],
]);

/** Messages of Slack's incoming webhooks: `text`, `blocks`, `attachments`. */
export const slack: HookFormat = {
  name: 'slack',
  recognises: ({ body }) =>
    'blocks' in body || 'attachments' in body || (typeof body.text === 'string' && !('content' in body)),
  deliveryIds: ['idempotency-key'],
  read({ body }): Post {
    const { text, blocks, attachments, username } = body;
    const said = fromMrkdwn(textIn(text));
    const shown = blocksAsText(blocks ?? []);
    // Where there are blocks, the text stands for them in places that show none.
    const main = lines(shown || said, objectsIn(attachments).map(attachmentAsText));
    const thread = textIn(body.thread_ts);
    return {
      text: lines(senderLine(username), main, otherTypes(body), restOf(body, known)),
      ...(isUuid(thread) ? { threadId: thread } : {}),
      ...decorations(body, shown && said !== shown ? [...kept, 'text'] : kept),
    };
  },
};

/** What should be a text or a list, and is something else. */
function otherTypes({ text, attachments }: Json): string[] {
  const odd = typeof text === 'string' ? [] : linesOf(text);
  return Array.isArray(attachments) ? odd : odd.concat(linesOf(attachments));
}

function attachmentAsText(attachment: Json): string {
  const { pretext, text, title, title_link: page, author_name: author, author_link: authorPage } = attachment;
  const { fields, image_url: image, thumb_url: thumb, footer, ts, blocks, actions, fallback } = attachment;
  const inside = lines(
    link(textIn(author), textIn(authorPage)),
    title ? `**${link(fromMrkdwn(textIn(title)), textIn(page))}**` : '',
    fromMrkdwn(textIn(text)),
    blocksAsText(blocks ?? []),
    objectsIn(fields).map((field) => lines(bold(textIn(field.title)), fromMrkdwn(shownIn(field.value)))),
    image ? link('Image', textIn(image)) : '',
    thumb ? link('Image', textIn(thumb)) : '',
    objectsIn(actions).map((action) => link(textIn(action.text), textIn(action.url))),
    [textIn(footer), timeOf(ts)].filter(Boolean).join(' · '),
    restOf(attachment, attachmentParts),
  );
  const all = lines(fromMrkdwn(textIn(pretext)), inside && quoted(inside));
  return all || fromMrkdwn(textIn(fallback));
}

/** A time in seconds since 1970. */
function timeOf(value: unknown): string {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0;
  return seconds > 0 && seconds < 1e11 ? new Date(Math.trunc(seconds) * 1000).toISOString() : '';
}
