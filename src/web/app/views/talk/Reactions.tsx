import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { emojiOf } from '../../state/emoji.ts';
import { isComposing } from '../../state/keyboard.ts';
import type { Timeline } from '../../state/timeline.ts';
import { attempt } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';
import { useOutside } from '../parts/Menu.tsx';

const choice = ['👍', '❤️', '😂', '🎉', '😮', '😢', '🙏', '👀', '✅', '🔥', '🚀', '👏', '🤔', '💯', '😍', '👎'];

/** So many people are named; the others are counted. */
const mostNamed = 12;

function toggle(message: Message, emoji: string, isOn: boolean): void {
  const id = message.id;
  if (isOn) void attempt(() => parley.rest('DELETE /api/messages/:id/reactions/:emoji', { id, emoji }));
  else void attempt(() => parley.rest('POST /api/messages/:id/reactions', { id, body: { emoji } }));
}

const isMine = (users: string[]): boolean => users.includes(me.value?.id ?? '');

/** Who reacted, as far as they are known by name here. */
function namesOf(users: string[], timeline: Timeline): string {
  const known = users.flatMap((id) => (isMine([id]) ? 'You' : (timeline.authors.value.get(id) ?? [])));
  const named = known.slice(0, mostNamed);
  const more = users.length - named.length;
  if (named.length === 0) return '';
  const others = more === 0 ? [] : [more === 1 ? '1 other' : `${more} others`];
  return new Intl.ListFormat('en').format([...named, ...others]);
}

export function Reactions({ message, timeline }: { message: Message; timeline: Timeline }) {
  if (message.reactions.length === 0) return null;
  return (
    <ul class="reactions" aria-label="Reactions">
      {message.reactions.map(({ emoji, count, users }) => (
        <li key={emoji}>
          <button
            type="button"
            aria-pressed={isMine(users)}
            aria-label={`${emojiOf(emoji)}, ${count}`}
            title={namesOf(users, timeline)}
            onClick={() => toggle(message, emoji, isMine(users))}
          >
            <span aria-hidden="true">{emojiOf(emoji)}</span> {count}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function ReactButton({ message }: { message: Message }) {
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
    const known = message.reactions.find((reaction) => reaction.emoji === emoji);
    toggle(message, emoji, known ? isMine(known.users) : false);
  };
  return (
    <span ref={root}>
      <button
        ref={button}
        type="button"
        class="icon"
        aria-label="React"
        title="React"
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

/** Arrows go through it, and Escape leads back to where it was opened. */
function Picker({ message, onChoose, onClose }: PickerProps) {
  const ref = useRef<HTMLFieldSetElement>(null);
  // Before the next key is pressed.
  useLayoutEffect(() => ref.current?.querySelector('button')?.focus(), []);
  const isOn = (emoji: string) => message.reactions.some((one) => one.emoji === emoji && isMine(one.users));
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (!ref.current || !step(ref.current, event.key)) return;
    event.preventDefault();
  };
  return (
    <fieldset class="emoji" ref={ref} onKeyDown={press}>
      <legend class="hidden">Reactions</legend>
      {choice.map((emoji) => (
        <button key={emoji} type="button" class="icon" aria-pressed={isOn(emoji)} onClick={() => onChoose(emoji)}>
          {emoji}
        </button>
      ))}
      <input
        aria-label="Another emoji"
        placeholder="Another one, or :name:"
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

/** @returns whether the key was one that goes through the emoji, as they are seen: in rows */
function step(picker: HTMLElement, key: string): boolean {
  const all = [...picker.querySelectorAll('button')];
  const at = all.findIndex((button) => button.contains(document.activeElement));
  if (at < 0) return false;
  const inRow = all.filter(({ offsetTop }) => offsetTop === all[0]?.offsetTop).length;
  const by: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: inRow, ArrowUp: -inRow };
  const to = by[key];
  if (to === undefined) return false;
  const next = all[at + to];
  // Below the last row there is the field.
  if (next) next.focus();
  else if (key === 'ArrowDown') picker.querySelector('input')?.focus();
  return true;
}
