import { useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { attempt } from '../../state/toasts.ts';
import { Icon } from '../parts/Icon.tsx';
import { useOutside } from '../parts/Menu.tsx';

const choice = ['👍', '❤️', '😂', '🎉', '😮', '😢', '🙏', '👀', '✅', '🔥', '🚀', '👏', '🤔', '💯', '😍', '👎'];

function toggle(message: Message, emoji: string, isOn: boolean): void {
  const id = message.id;
  if (isOn) void attempt(() => parley.rest('DELETE /api/messages/:id/reactions/:emoji', { id, emoji }));
  else void attempt(() => parley.rest('POST /api/messages/:id/reactions', { id, body: { emoji } }));
}

const isMine = (users: string[]): boolean => users.includes(me.value?.id ?? '');

export function Reactions({ message }: { message: Message }) {
  if (message.reactions.length === 0) return null;
  return (
    <ul class="reactions" aria-label="Reactions">
      {message.reactions.map(({ emoji, count, users }) => (
        <li key={emoji}>
          <button
            type="button"
            aria-pressed={isMine(users)}
            aria-label={`${emoji}, ${count}`}
            onClick={() => toggle(message, emoji, isMine(users))}
          >
            <span aria-hidden="true">{emoji}</span> {count}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function ReactButton({ message }: { message: Message }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const close = () => setOpen(false);
  useOutside(root, open, close);
  const choose = (emoji: string) => {
    close();
    const known = message.reactions.find((reaction) => reaction.emoji === emoji);
    toggle(message, emoji, known ? isMine(known.users) : false);
  };
  return (
    <span ref={root}>
      <button
        type="button"
        class="icon"
        aria-label="React"
        title="React"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="smile" />
      </button>
      {open && <Picker onChoose={choose} onClose={close} />}
    </span>
  );
}

interface PickerProps {
  onChoose(emoji: string): void;
  onClose(): void;
}

function Picker({ onChoose, onClose }: PickerProps) {
  return (
    <fieldset class="emoji">
      <legend class="hidden">Reactions</legend>
      {choice.map((emoji) => (
        <button key={emoji} type="button" class="icon" onClick={() => onChoose(emoji)}>
          {emoji}
        </button>
      ))}
      <input
        aria-label="Another emoji"
        placeholder="Another one, or :name:"
        maxLength={32}
        onKeyDown={(event) => {
          const emoji = event.currentTarget.value.trim();
          if (event.key === 'Enter' && emoji) onChoose(emoji);
          if (event.key === 'Escape') onClose();
        }}
      />
    </fieldset>
  );
}
