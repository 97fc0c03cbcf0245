import type { Message } from '../../../../client/index.ts';
import { emojiOf } from '../../state/emoji.ts';
import type { Texts } from '../../state/texts.ts';
import type { Timeline } from '../../state/timeline.ts';
import { EmojiButton } from '../parts/EmojiButton.tsx';
import { OwnEmojiPicture } from '../parts/OwnEmoji.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { mayUsually, withheld } from './permissions.ts';

/** How many people are named; the others are counted. */
const maxNamed = 12;

function toggle(app: AppState, message: Message, emoji: string, isOn: boolean): void {
  const id = message.id;
  if (isOn) void app.attempt(() => app.client.rest('DELETE /api/messages/:id/reactions/:emoji', { id, emoji }));
  else void app.attempt(() => app.client.rest('POST /api/messages/:id/reactions', { id, body: { emoji } }));
}

const isMine = (app: AppState, users: string[]): boolean => users.includes(app.me.value?.id ?? '');

/** The names of those who reacted, as far as they are known here when the reactions change: many write meanwhile. */
function namesOf({ listed, t }: Texts, app: AppState, users: string[], timeline: Timeline): string {
  const known = users.flatMap((id) => (isMine(app, [id]) ? t('You') : (timeline.authors.peek().get(id) ?? [])));
  const named = known.slice(0, maxNamed);
  const more = users.length - named.length;
  if (named.length === 0) return '';
  const others = more === 0 ? [] : [t('{count, plural, one {# other} other {# others}}', { count: more })];
  return listed([...named, ...others]);
}

export function Reactions({ message, timeline }: { message: Message; timeline: Timeline }) {
  const texts = useTexts();
  const { number, t } = texts;
  const app = useApp();
  if (message.reactions.length === 0) return null;
  const mayReact = mayUsually(app, message.channelId, 'message:react');
  return (
    <ul class="reactions" aria-label={t('Reactions')}>
      {message.reactions.map(({ emoji, emojiId, count, users }) => (
        <li key={`${emoji} ${emojiId}`}>
          <button
            type="button"
            aria-pressed={isMine(app, users)}
            aria-label={`${emojiOf(emoji)}, ${number(count)}`}
            // Taking one's own back is always possible.
            disabled={(!mayReact || isNameAlone(app, emoji, emojiId)) && !isMine(app, users)}
            title={mayReact ? namesOf(texts, app, users, timeline) : t(withheld.react)}
            onClick={() => toggle(app, message, emoji, isMine(app, users))}
          >
            <span aria-hidden="true">
              <ReactionSign emoji={emoji} emojiId={emojiId} />
            </span>{' '}
            {number(count)}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A name without an emoji: of an earlier version, or of one that the server had. */
const isNameAlone = (app: AppState, emoji: string, emojiId: string | undefined): boolean =>
  /^:.+:$/.test(emojiOf(emoji)) && !app.ownEmoji.withId(emojiId);

function ReactionSign({ emoji, emojiId }: { emoji: string; emojiId: string | undefined }) {
  const own = useApp().ownEmoji.withId(emojiId);
  return own ? <OwnEmojiPicture {...own} /> : emojiOf(emoji);
}

export function ReactButton({ message }: { message: Message }) {
  const { t } = useTexts();
  const app = useApp();
  const mine = ({ emoji, emojiId }: { emoji: string; emojiId: string | undefined }) =>
    message.reactions.some((one) => one.emoji === emoji && one.emojiId === emojiId && isMine(app, one.users));
  const reactionOf = (emoji: string) => ({ emoji, emojiId: app.ownEmoji.named(emoji.replace(/^:(.+):$/, '$1'))?.id });
  return (
    <EmojiButton
      label={t('React')}
      withOwn
      isOn={(emoji) => mine(reactionOf(emoji))}
      onChoose={(emoji) => toggle(app, message, emoji, mine(reactionOf(emoji)))}
    />
  );
}
