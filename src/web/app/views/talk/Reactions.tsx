import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { emojiForm } from '../../../../contract/unicode/emoji.ts';
import { emojiOf } from '../../state/emoji.ts';
import { isComposing } from '../../state/keyboard.ts';
import type { Texts } from '../../state/texts.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Icon } from '../parts/Icon.tsx';
import { useOutside } from '../parts/Menu.tsx';
import { OwnEmojiPicture } from '../parts/OwnEmoji.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { mayUsually, withheld } from './permissions.ts';

const choice = ['👍', '❤️', '😂', '🎉', '😮', '😢', '🙏', '👀', '✅', '🔥', '🚀', '👏', '🤔', '💯', '😍', '👎'];

/** How many of the server's own are offered; all others are chosen by their names. */
const maxOffered = 32;
/** How many people are named; the others are counted. */
const maxNamed = 12;

function toggle(app: AppState, message: Message, emoji: string, isOn: boolean): void {
  const id = message.id;
  if (isOn) void app.attempt(() => app.client.rest('DELETE /api/messages/:id/reactions/:emoji', { id, emoji }));
  else void app.attempt(() => app.client.rest('POST /api/messages/:id/reactions', { id, body: { emoji } }));
}

const isMine = (app: AppState, users: string[]): boolean => users.includes(app.me.value?.id ?? '');

/** The names of those who reacted, as far as they are known here. */
function namesOf({ listed, t }: Texts, app: AppState, users: string[], timeline: Timeline): string {
  const known = users.flatMap((id) => (isMine(app, [id]) ? t('You') : (timeline.authors.value.get(id) ?? [])));
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
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useOutside(root, open, () => setOpen(false));
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const choose = (emoji: string) => {
    close();
    const own = app.ownEmoji.named(emoji.replace(/^:(.+):$/, '$1'))?.id;
    const known = message.reactions.find((one) => one.emoji === emojiForm(emoji) && one.emojiId === own);
    toggle(app, message, emoji, known ? isMine(app, known.users) : false);
  };
  return (
    <span ref={root}>
      <button
        ref={button}
        type="button"
        class="icon"
        aria-label={t('React')}
        title={t('React')}
        aria-expanded={open}
        onClick={() => (open ? close() : setOpen(true))}
      >
        <Icon name="smile" />
      </button>
      {open && <Picker message={message} onChoose={choose} onClose={close} />}
    </span>
  );
}

interface PickerProps {
  message: Message;
  onChoose(emoji: string): void;
  onClose(): void;
}

/** Arrow keys move in it, and Escape returns to the button. */
function Picker({ message, onChoose, onClose }: PickerProps) {
  const { t } = useTexts();
  const app = useApp();
  const ref = useRef<HTMLFieldSetElement>(null);
  const [below, setBelow] = useState(false);
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    const top = ref.current?.closest('.scroller')?.getBoundingClientRect().top ?? 0;
    // Where there is no room above the message.
    setBelow((ref.current?.getBoundingClientRect().top ?? top) < top);
    ref.current?.querySelector('button')?.focus();
  }, []);
  const isOn = (emoji: string) => message.reactions.some((one) => one.emoji === emoji && isMine(app, one.users));
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (!ref.current || !step(ref.current, event.key)) return;
    event.preventDefault();
  };
  return (
    <fieldset class={below ? 'emoji below' : 'emoji'} ref={ref} onKeyDown={press}>
      <legend class="hidden">{t('Reactions')}</legend>
      {choice.map((emoji) => (
        <button key={emoji} type="button" class="icon" aria-pressed={isOn(emoji)} onClick={() => onChoose(emoji)}>
          {emoji}
        </button>
      ))}
      {app.ownEmoji.here.value.slice(0, maxOffered).map((own) => (
        <button key={own.id} type="button" class="icon" onClick={() => onChoose(`:${own.name}:`)}>
          <OwnEmojiPicture {...own} />
        </button>
      ))}
      <input
        aria-label={t('Another emoji')}
        placeholder={t('Another one, or :name:')}
        maxLength={32}
        enterkeyhint="done"
        onKeyDown={(event) => {
          const emoji = emojiOf(event.currentTarget.value.trim());
          if (event.key === 'Enter' && emoji && !isComposing(event)) onChoose(emoji);
        }}
      />
    </fieldset>
  );
}

/** Moves the focus among the emoji, by rows and columns. @returns whether the key was for that */
function step(picker: HTMLElement, key: string): boolean {
  const all = [...picker.querySelectorAll('button')];
  const at = all.findIndex((button) => button.contains(document.activeElement));
  if (at < 0) return false;
  const inRow = all.filter(({ offsetTop }) => offsetTop === all[0]?.offsetTop).length;
  const right = document.dir === 'rtl' ? -1 : 1;
  const by: Record<string, number> = { ArrowRight: right, ArrowLeft: -right, ArrowDown: inRow, ArrowUp: -inRow };
  const to = by[key];
  if (to === undefined) return false;
  const next = all[at + to];
  // The field is below the last row.
  if (next) next.focus();
  else if (key === 'ArrowDown') picker.querySelector('input')?.focus();
  return true;
}
