import { createRequire } from 'node:module';
import { z } from 'zod';
import { emojiForm, emojiMeant, isEmoji, ownEmojiName } from '../../contract/unicode/emoji.ts';

const namesSchema = z.record(z.string(), z.object({ slug: z.string() }));

/** Names in other chats that are neither ours nor Unicode's. */
const others: Record<string, string> = {
  simple_smile: '🙂',
  smiling_face_with_3_hearts: '🥰',
  smiling_face_with_three_hearts: '🥰',
  hugging_face: '🤗',
  thinking_face: '🤔',
  face_with_raised_eyebrow: '🤨',
  rolling_on_the_floor_laughing: '🤣',
  the_horns: '🤘',
  call_me_hand: '🤙',
  man_shrugging: '🤷‍♂️',
  woman_shrugging: '🤷‍♀️',
  man_facepalming: '🤦‍♂️',
  woman_facepalming: '🤦‍♀️',
  face_palm: '🤦',
  hankey: '💩',
  hearts: '♥️',
  heartpulse: '💗',
  ballot_box_with_check: '☑️',
  negative_squared_cross_mark: '❎',
  satisfied: '😆',
  relaxed: '☺️',
  white_frowning_face: '☹️',
  slightly_frowning_face: '🙁',
  point_up_2: '👆',
  facepunch: '👊',
  hand: '✋',
  raising_hand: '🙋',
  bow: '🙇',
  no_good: '🙅',
  ok_woman: '🙆',
  dancer: '💃',
  champagne_glass: '🥂',
  clinking_glasses: '🥂',
  envelope: '✉️',
  email: '📧',
  man_dancing: '🕺',
  checkered_flag: '🏁',
  hourglass_flowing_sand: '⏳',
  arrow_up: '⬆️',
  arrow_down: '⬇️',
  arrow_left: '⬅️',
  arrow_right: '➡️',
  heavy_plus_sign: '➕',
  heavy_minus_sign: '➖',
  large_green_circle: '🟢',
  large_yellow_circle: '🟡',
  large_red_circle: '🔴',
  red_circle: '🔴',
  rotating_light: '🚨',
  hammer_and_wrench: '🛠️',
};

const tones = ['\u{1f3fb}', '\u{1f3fc}', '\u{1f3fd}', '\u{1f3fe}', '\u{1f3ff}'];
let bySlug: Map<string, string> | undefined;

function known(name: string): string | undefined {
  const own = emojiMeant(`:${name}:`);
  if (isEmoji(own)) return own;
  const other = Object.hasOwn(others, name) ? others[name] : undefined;
  if (other) return emojiForm(other);
  // Read when the first name comes that is not among the usual ones.
  bySlug ??= new Map(
    Object.entries(namesSchema.parse(createRequire(import.meta.url)('unicode-emoji-json/data-by-emoji.json'))).map(
      ([emoji, { slug }]) => [slug, emojiForm(emoji)],
    ),
  );
  return bySlug.get(name) ?? bySlug.get(`${name}_face`);
}

/** The emoji of a name of another chat, with its skin tone; undefined: it is one of the workspace's own. */
export function emojiNamed(name: string): string | undefined {
  const [, base = name, slack, discord] = /^(.+?)(?:::?skin-tone-([2-6])|_tone([1-5]))$/.exec(name) ?? [];
  const tone = slack ? Number(slack) - 2 : discord ? Number(discord) - 1 : null;
  const emoji = known(base) ?? known(base.replaceAll('-', '_'));
  if (!emoji || tone === null) return emoji;
  const toned = emoji.replaceAll('\ufe0f', '') + tones[tone];
  return isEmoji(toned) ? toned : emoji;
}

/** The name of an own emoji in our form; null: nothing of it can stay. */
export function ownName(name: string): string | null {
  const made = name
    .toLowerCase()
    .replace(/[^a-z\d_+-]/g, '_')
    .slice(0, 30);
  return ownEmojiName.test(made) ? made : null;
}

/** How someone reacted: an emoji, or the name of an own one between colons; null: nothing of it can stay. */
export function reactionOf(name: string): string | null {
  const emoji = emojiNamed(name);
  if (emoji) return emoji;
  const own = ownName(name);
  return own === null ? null : `:${own}:`;
}

/** A text with the emoji that it names between colons, but for those in code. */
export function withEmoji(text: string): string {
  if (!text.includes(':')) return text;
  const parts = text.split(/(```[\s\S]*?```|`[^`\n]+`|https?:\/\/\S+)/);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/:([\w+-]{1,50}):(?::(skin-tone-[2-6]):)?/g, (whole, name: string, tone?: string) =>
            spelled(whole, name, tone),
          ),
    )
    .join('');
}

function spelled(whole: string, name: string, tone: string | undefined): string {
  // A time, such as 10:30:00.
  if (/^\d+$/.test(name)) return whole;
  return emojiNamed(tone ? `${name}::${tone}` : name) ?? (ownName(name) ? `:${ownName(name)}:` : whole);
}
